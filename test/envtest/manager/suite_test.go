// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manager_test runs the manager as a process of its own, under the ServiceAccount and the
// rights that config/ gives it, on real control planes.
package manager_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// childVariable makes the test binary the manager.
const childVariable = "MANAGER_TEST_CHILD"

// cluster is a plane and its administrator.
type cluster struct {
	*localplane.Plane
	client.Client
}

var (
	control *cluster // config/default is installed
	shared  *cluster // another operator owns CCLInfraPlane; config/registration-only is installed
	infra   *cluster // what is registered
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(manager.Main(ctrl.SetupSignalHandler(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestManager(t *testing.T) {
	RegisterFailHandler(Fail)
	logf.SetLogger(GinkgoLogr)
	RunSpecs(t, "manager")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	planes := testenv.Planes(GinkgoTB(),
		localplane.Options{Name: "control", AuditLog: true, CRDs: []string{localargo.CRDs("../../..")}, APIServerArgs: map[string][]string{
			// Some distributions check who may make an object block another one's deletion.
			"enable-admission-plugins": {"OwnerReferencesPermissionEnforcement"},
		}},
		localplane.Options{Name: "shared", AuditLog: true, CRDs: []string{"testdata/other-operator"}},
		localplane.Options{Name: "infra", AuditLog: true},
	)
	control, shared, infra = admin(planes[0]), admin(planes[1]), admin(planes[2])
	Expect(control.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: localargo.Namespace}})).To(Succeed())
	install(ctx, control, "default")
	install(ctx, shared, "registration-only")
})

func admin(p *localplane.Plane) *cluster {
	GinkgoHelper()
	scheme, err := ccluster.NewScheme()
	Expect(err).NotTo(HaveOccurred())
	Expect(apiextensionsv1.AddToScheme(scheme)).To(Succeed())
	c, err := client.New(p.Config(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return &cluster{Plane: p, Client: c}
}
