// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestControllerNamesAreUnique(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]bool{}
	for _, name := range controllerNames() {
		g.Expect(seen[name]).To(BeFalse(), name)
		seen[name] = true
	}
	g.Expect(seen).To(HaveKey("registration"))
}

func TestSelectedRunsEachControllerOnce(t *testing.T) {
	g := NewWithT(t)
	o := Options{Controllers: []string{"registration", "registration"}}
	chosen, err := o.selected()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(chosen).To(HaveLen(1))
	g.Expect(chosen[0].name).To(Equal("registration"))
}

func TestSelectedNamesWhatDoesNotExist(t *testing.T) {
	o := Options{Controllers: []string{"registration", "registrations"}}
	_, err := o.selected()
	NewWithT(t).Expect(err).To(MatchError(
		`--controllers: there is no controller "registrations": choose from ` + listOfControllers()))
}

func listOfControllers() string {
	text := ""
	for _, name := range controllerNames() {
		if text != "" {
			text += ", "
		}
		text += name
	}
	return text
}

func TestManagerCachesNoSecretsOfOthers(t *testing.T) {
	g := NewWithT(t)
	o := DefaultOptions()
	o.LeaderElect = false
	chosen, err := o.selected()
	g.Expect(err).NotTo(HaveOccurred())
	options, err := o.manager(chosen)
	g.Expect(err).NotTo(HaveOccurred())
	found := false
	for object, by := range options.Cache.ByObject {
		if _, ok := object.(*corev1.Secret); !ok {
			continue
		}
		found = true
		g.Expect(by.Label).NotTo(BeNil())
		g.Expect(by.Label.Matches(labels.Set{})).To(BeFalse())
		g.Expect(by.Label.Matches(labels.Set{v1alpha1.ManagedLabel: v1alpha1.ManagedCredentials})).To(BeTrue())
	}
	g.Expect(found).To(BeTrue(), "Secrets must be limited")
}
