// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/manager"
	"github.com/ccluster-go/ccluster-go/internal/testenv"
)

// The planes of the suite: the control plane and an infra plane.
var control, infra *localplane.Plane

func TestMain(m *testing.M) {
	os.Exit(testenv.Main(m, func(planes []*localplane.Plane) { control, infra = planes[0], planes[1] },
		localplane.Options{Name: "control", AuditLog: true, CRDs: []string{"../../../config/crd/bases"}},
		localplane.Options{Name: "infra", AuditLog: true},
	))
}

func TestRegistration(t *testing.T) {
	RegisterFailHandler(Fail)
	// As the manager logs, as much as it can.
	options := manager.DefaultOptions()
	options.LogLevel = 5
	if err := manager.UseLogger(manager.NewLogger(logs, &options), &options); err != nil {
		t.Fatal(err)
	}
	suite, reporter := GinkgoConfiguration()
	suite.RandomizeAllSpecs = true
	RunSpecs(t, "Registration", suite, reporter)
}
