//go:build e2e

// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// What the suite runs on: a control plane with Argo CD and the manager, and an infra plane.
var (
	control, infra *localplane.Plane
	bed            *localargo.Bed
	// kube and plane are an administrator's view of the two planes.
	kube, plane client.Client
)

// overlap is how long a replaced token is still accepted here.
const overlap = 10 * time.Second

func TestMain(m *testing.M) {
	root := context.Background() //nolint:forbidigo // before the tests, nobody has another
	ctx, cancel := signal.NotifyContext(root, os.Interrupt, syscall.SIGTERM)
	code := testenv.Main(m, func(planes []*localplane.Plane) {
		control, infra = planes[0], planes[1]
		suiteContext = ctx
	},
		localplane.Options{Name: "control", AuditLog: true, CRDs: []string{"../../config/crd/bases"}},
		localplane.Options{Name: "infra", AuditLog: true},
	)
	cancel()
	os.Exit(code)
}

// suiteContext outlives the suite's set-up.
var suiteContext context.Context

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(2 * time.Minute)
	SetDefaultEventuallyPollingInterval(200 * time.Millisecond)
	ctrl.SetLogger(GinkgoLogr)
	suite, reporter := GinkgoConfiguration()
	RunSpecs(t, "On real Argo CD", suite, reporter)
}

var _ = BeforeSuite(func(ctx SpecContext) {
	kube, plane = adminOf(control), adminOf(infra)
	logs := os.Getenv("ENVTEST_LOG_DIR")
	if logs != "" {
		logs = filepath.Join(logs, "e2e")
	}
	var err error
	bed, err = localargo.Start(ctx, localargo.Options{Control: control, Assets: localargo.Assets("../.."), LogDir: logs})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(bed.Stop()).To(Succeed()) })
	Expect(bed.AddNode(ctx, infra)).To(Succeed())

	options := manager.DefaultOptions()
	options.AllowCIDRs = []string{"127.0.0.0/8"}
	options.LeaderElect, options.HealthProbeAddress, options.MetricsAddress = false, "0", "0"
	options.CheckPeriod, options.TokenOverlap = 2*time.Second, overlap
	options.CatalogRepo = bed.RepoURL()
	life, end := context.WithCancel(suiteContext)
	done := make(chan error, 1)
	go func() { done <- manager.Run(life, control.Config(), options) }()
	DeferCleanup(func() {
		end()
		Expect(<-done).To(Succeed())
	})
})

var _ = AfterEach(func() {
	if err := errors.Join(bed.Check(), control.Check(), infra.Check()); err != nil {
		Fail(fmt.Sprintf("a process has ended: %v", err))
	}
})

func adminOf(p *localplane.Plane) client.Client {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	c, err := client.New(p.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return c
}
