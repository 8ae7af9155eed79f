// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// note has the characters in its key that paths are otherwise made of.
const note = "example.com/a.note"

var (
	tokenPath = []string{"data", "token"}
	notePath  = []string{"metadata", "annotations", note}
)

func TestOwnsReadsManagedFields(t *testing.T) {
	const fields = `{"f:data":{"f:token":{}},"f:metadata":{"f:annotations":{"f:` + note + `":{}}}}`
	ours := managed(owner, "", "v1", fields)
	updated := ours
	updated.Operation = metav1.ManagedFieldsOperationUpdate
	bare := ours
	bare.FieldsV1 = nil
	for name, test := range map[string]struct {
		entries []metav1.ManagedFieldsEntry
		fields  [][]string
		want    bool
	}{
		"one":                      {[]metav1.ManagedFieldsEntry{ours}, [][]string{tokenPath}, true},
		"all":                      {[]metav1.ManagedFieldsEntry{ours}, [][]string{tokenPath, notePath}, true},
		"none asked for":           {[]metav1.ManagedFieldsEntry{ours}, nil, true},
		"one too many":             {[]metav1.ManagedFieldsEntry{ours}, [][]string{tokenPath, {"data", "config"}}, false},
		"one too many, first":      {[]metav1.ManagedFieldsEntry{ours}, [][]string{{"data", "config"}, tokenPath}, false},
		"deeper than what is ours": {[]metav1.ManagedFieldsEntry{ours}, [][]string{{"data", "token", "x"}}, false},
		"above what is ours":       {[]metav1.ManagedFieldsEntry{ours}, [][]string{{"data"}}, false},
		"another's":                {[]metav1.ManagedFieldsEntry{managed("other", "", "v1", fields)}, [][]string{tokenPath}, false},
		"another's beside":         {[]metav1.ManagedFieldsEntry{managed("other", "", "v1", fields), managed(owner, "", "v1", `{"f:type":{}}`)}, [][]string{tokenPath}, false},
		"shared":                   {[]metav1.ManagedFieldsEntry{managed("other", "", "v1", fields), ours}, [][]string{tokenPath}, true},
		"of an Update of our name": {[]metav1.ManagedFieldsEntry{updated}, [][]string{tokenPath}, false},
		"of a subresource":         {[]metav1.ManagedFieldsEntry{managed(owner, "status", "v1", fields)}, [][]string{tokenPath}, false},
		"an entry without fields":  {[]metav1.ManagedFieldsEntry{bare}, [][]string{tokenPath}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			live := secret(test.entries...)
			before := live.DeepCopy()
			g.Expect(newApplier(t, newRecorder(), owner).Owns(live, test.fields...)).To(Equal(test.want))
			g.Expect(live).To(Equal(before))
		})
	}
}

func TestOwnsErrors(t *testing.T) {
	g := NewWithT(t)
	a := newApplier(t, newRecorder(), owner)
	_, err := a.Owns(secret(), tokenPath)
	g.Expect(err).To(MatchError(apply.ErrNoManagedFields))
	owned, err := a.Owns(secret(managed(owner, "", "v1", `["f:data"]`)), tokenPath)
	g.Expect(err).To(MatchError(HavePrefix("read managed fields of team/credentials: ")))
	g.Expect(owned).To(BeFalse())
}

// Whoever changes a field takes it, and an apply takes it back.
func TestOwnsFollowsTheLastWriter(t *testing.T) {
	g := NewWithT(t)
	c := newRecorder()
	a := newApplier(t, c, owner)
	intent := func() *corev1ac.SecretApplyConfiguration {
		return corev1ac.Secret("credentials", "team").WithAnnotations(map[string]string{note: "n"}).
			WithData(map[string][]byte{"token": []byte("abc"), "server": []byte("s")})
	}
	live := &corev1.Secret{}
	owns := func() bool {
		g.Expect(c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "credentials"}, live)).To(Succeed())
		owned, err := a.Owns(live, tokenPath, notePath)
		g.Expect(err).NotTo(HaveOccurred())
		return owned
	}
	g.Expect(a.Object(t.Context(), intent(), nil)).To(Succeed())
	g.Expect(owns()).To(BeTrue())

	live.Data["server"] = []byte("theirs")
	g.Expect(c.Update(t.Context(), live, client.FieldOwner("kubectl-edit"))).To(Succeed())
	g.Expect(owns()).To(BeTrue(), "a field that is not asked for")

	live.Data["token"] = []byte("theirs")
	g.Expect(c.Update(t.Context(), live, client.FieldOwner("kubectl-edit"))).To(Succeed())
	g.Expect(owns()).To(BeFalse())

	g.Expect(a.Object(t.Context(), intent(), nil)).To(Succeed())
	g.Expect(owns()).To(BeTrue())

	delete(live.Annotations, note)
	g.Expect(c.Update(t.Context(), live, client.FieldOwner("kubectl-edit"))).To(Succeed())
	g.Expect(owns()).To(BeFalse())
}
