// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

func TestMarkerJudges(t *testing.T) {
	const (
		plane        = ccluster.ControlPlaneAnnotation
		registration = ccluster.RegistrationAnnotation
		label        = ccluster.MarkerLabel
	)
	ourLabel := map[string]string{label: ourMarker.Hash()}
	for name, test := range map[string]struct {
		labels, annotations map[string]string
		want                ownership
	}{
		"ours":                        {ourLabel, map[string]string{plane: "plane-a", registration: "team/edge-1"}, ours},
		"ours, label lost":            {nil, map[string]string{plane: "plane-a", registration: "team/edge-1"}, ours},
		"ours, another's label":       {map[string]string{label: foreignMarker.Hash()}, map[string]string{plane: "plane-a", registration: "team/edge-1"}, ours},
		"bare":                        {nil, nil, unmarked},
		"other labels":                {map[string]string{"app": "x"}, map[string]string{"note": "y"}, unmarked},
		"empty marker":                {map[string]string{label: ""}, map[string]string{plane: "", registration: ""}, unmarked},
		"another name":                {nil, map[string]string{plane: "plane-a", registration: "team/edge-2"}, neighbours},
		"another namespace":           {nil, map[string]string{plane: "plane-a", registration: "other/edge-1"}, neighbours},
		"another plane, same name":    {nil, map[string]string{plane: "plane-b", registration: "team/edge-1"}, foreign},
		"another plane, another name": {nil, map[string]string{plane: "plane-b", registration: "team/edge-2"}, foreign},
		"our plane, no registration":  {nil, map[string]string{plane: "plane-a"}, foreign},
		"no plane":                    {nil, map[string]string{registration: "team/edge-1"}, foreign},
		// Whoever removes annotations has not taken the object over.
		"our label alone":             {ourLabel, nil, ours},
		"our label, our plane":        {ourLabel, map[string]string{plane: "plane-a"}, ours},
		"our label, our registration": {ourLabel, map[string]string{registration: "team/edge-1"}, ours},
		"our label, another plane":    {ourLabel, map[string]string{plane: "plane-b"}, foreign},
		"our label, another's name":   {ourLabel, map[string]string{registration: "team/edge-2"}, foreign},
		// A label alone tells that somebody has been here.
		"some label alone": {map[string]string{label: "x"}, nil, foreign},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			obj := &metav1.ObjectMeta{Labels: test.labels, Annotations: test.annotations}
			g.Expect(ourMarker.judge(obj)).To(Equal(test.want))
			g.Expect(ourMarker.Owns(obj)).To(Equal(test.want == ours))
		})
	}
}

func TestMarkerOwnsWhatItMarks(t *testing.T) {
	g := NewWithT(t)
	obj := &metav1.ObjectMeta{Labels: ourMarker.Labels(), Annotations: ourMarker.Annotations()}
	g.Expect(ourMarker.Owns(obj)).To(BeTrue())
	g.Expect(neighbourMarker.Owns(obj)).To(BeFalse())
	g.Expect(foreignMarker.Owns(obj)).To(BeFalse())
	g.Expect(obj.Labels).To(Equal(map[string]string{ccluster.MarkerLabel: ourMarker.Hash()}))
}

func TestMarkerHashTellsRegistrationsApart(t *testing.T) {
	g := NewWithT(t)
	seen := map[string]string{}
	// Every way to cut one text into three parts, with separators inside.
	for _, plane := range []string{"a", "a-b", "a.b", "a/b", "a-b-c", ""} {
		for _, namespace := range []string{"a", "b", "a-b", "b-c", "c"} {
			for _, name := range []string{"a", "b", "c", "b-c", "a-b", "b.c"} {
				m := Marker{ControlPlaneID: plane, Registration: types.NamespacedName{Namespace: namespace, Name: name}}
				of := fmt.Sprintf("%q", []string{plane, namespace, name})
				hash := m.Hash()
				g.Expect(seen).NotTo(HaveKey(hash), of)
				seen[hash] = of
				g.Expect(validation.IsValidLabelValue(hash)).To(BeEmpty())
				g.Expect(m.Hash()).To(Equal(hash))
			}
		}
	}
	g.Expect(seen).To(HaveLen(6 * 5 * 6))
}

// The label is how revocation finds objects that an earlier version made.
func TestMarkerHashDoesNotChange(t *testing.T) {
	NewWithT(t).Expect(ourMarker.Hash()).To(Equal("8a350fd47e88bd1c1d07f07a4a7cc6c8d6cc066a"))
}
