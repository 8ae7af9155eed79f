// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/ccluster-go/ccluster-go/internal/localargo"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// The planes of the suite: the control plane, with Argo CD's kinds, and an infra plane.
var control, infra *localplane.Plane

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(planes []*localplane.Plane) { control, infra = planes[0], planes[1] },
		localplane.Options{Name: "control", AuditLog: true, CRDs: []string{"../../../config/crd/bases", localargo.CRDs("../../..")}},
		localplane.Options{Name: "infra", AuditLog: true},
	))
}

func TestInfraPlane(t *testing.T) {
	RegisterFailHandler(Fail)
	ctrl.SetLogger(GinkgoLogr)
	suite, reporter := GinkgoConfiguration()
	suite.RandomizeAllSpecs = true
	RunSpecs(t, "Infra planes", suite, reporter)
}
