// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/provision"
)

func TestInputsAreWrittenDown(t *testing.T) {
	g := NewWithT(t)
	for _, i := range []inputs{{spec: "abc", bootstrap: "def"}, {spec: "abc"}, {bootstrap: "def"}, {}} {
		g.Expect(parseInputs(i.String())).To(Equal(i))
	}
	g.Expect(parseInputs("")).To(Equal(inputs{}))
	g.Expect(parseInputs("abc")).To(Equal(inputs{spec: "abc"}))
}

func TestDigest(t *testing.T) {
	g := NewWithT(t)
	g.Expect(digest(canary)).To(MatchRegexp("^[0-9a-f]{16}$"))
	g.Expect(digest(canary)).To(Equal(digest(canary)))
	g.Expect(digest(canary)).NotTo(Equal(digest(canary + "x")))
}

// A token depends on where it is issued and what it may do, and on nothing else.
func TestSpecInputs(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1alpha1.ClusterRegistration)
		same   bool
	}{
		"nothing": {func(*v1alpha1.ClusterRegistration) {}, true},
		"labels":  {func(r *v1alpha1.ClusterRegistration) { r.Spec.ClusterLabels = map[string]v1alpha1.LabelValue{"a": "b"} }, true},
		"annotations": {func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ClusterAnnotations = map[string]v1alpha1.AnnotationValue{"a": "b"}
		}, true},
		"the deletion":    {func(r *v1alpha1.ClusterRegistration) { r.Spec.DeletionPolicy = v1alpha1.DeletionRetain }, true},
		"the adoption":    {func(r *v1alpha1.ClusterRegistration) { r.Spec.Adoption = v1alpha1.AdoptionUnmarked }, true},
		"the generation":  {func(r *v1alpha1.ClusterRegistration) { r.Generation++ }, true},
		"somebody's note": {func(r *v1alpha1.ClusterRegistration) { r.Annotations = map[string]string{"note": "x"} }, true},
		"the status":      {func(r *v1alpha1.ClusterRegistration) { r.Status.Server = edgeServer }, true},
		"the bootstrap":   {func(r *v1alpha1.ClusterRegistration) { r.Spec.Bootstrap.KubeconfigSecretRef.Name = "other" }, false},
		"the context":     {func(r *v1alpha1.ClusterRegistration) { r.Spec.Bootstrap.Context = new("c") }, false},
		"the endpoint":    {func(r *v1alpha1.ClusterRegistration) { r.Spec.Endpoint = &v1alpha1.Endpoint{Server: edgeServer} }, false},
		"the access":      {func(r *v1alpha1.ClusterRegistration) { r.Spec.Access = &v1alpha1.Access{ClusterRoleName: "view"} }, false},
		"the token":       {func(r *v1alpha1.ClusterRegistration) { r.Spec.Token = &v1alpha1.Token{Type: v1alpha1.TokenBound} }, false},
		"a request": {func(r *v1alpha1.ClusterRegistration) {
			r.Annotations = map[string]string{v1alpha1.RotateRequestedAtAnnotation: "2030-01-01T00:00:00Z"}
		}, false},
		"an empty request": {func(r *v1alpha1.ClusterRegistration) {
			r.Annotations = map[string]string{v1alpha1.RotateRequestedAtAnnotation: ""}
		}, true},
		"the service account*": {func(r *v1alpha1.ClusterRegistration) {
			r.Spec.ServiceAccount = &v1alpha1.ServiceAccountReference{Name: "x"}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			reg, before := newReg(), specInputs(newReg())
			test.change(reg)
			if test.same {
				NewWithT(t).Expect(specInputs(reg)).To(Equal(before))
			} else {
				NewWithT(t).Expect(specInputs(reg)).NotTo(Equal(before))
			}
		})
	}
}

// A field that is added to the spec has to be looked at here: does a token depend on it?
func TestTheSpecIsKnown(t *testing.T) {
	g := NewWithT(t)
	var fields []string
	for field := range reflect.TypeFor[v1alpha1.ClusterRegistrationSpec]().Fields() {
		fields = append(fields, field.Name)
	}
	g.Expect(fields).To(ConsistOf("Bootstrap", "InCluster", "Endpoint", "ServiceAccount", "Access", "Token", "Adoption",
		"ClusterLabels", "ClusterAnnotations", "Probe", "DeletionPolicy", "Reconciliation"))
}

func TestRotationDue(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*stored)
		want   bool
	}{
		"as it was":                  {func(*stored) {}, false},
		"for another spec":           {func(st *stored) { st.inputs.spec = "x" }, true},
		"for another bootstrap":      {func(st *stored) { st.inputs.bootstrap = "x" }, false},
		"its time has come":          {func(st *stored) { st.renewAt = now }, true},
		"its time is past":           {func(st *stored) { st.renewAt = now.Add(-time.Hour) }, true},
		"its time is to come":        {func(st *stored) { st.renewAt = now.Add(1) }, false},
		"somebody's":                 {func(st *stored) { st.authentic, st.inputs.spec = false, "x" }, false},
		"issued just now":            {func(st *stored) { st.inputs.spec, st.token.IssuedAt = "x", now.Add(-59*time.Second) }, false},
		"issued this moment":         {func(st *stored) { st.inputs.spec, st.token.IssuedAt = "x", now }, false},
		"issued a minute ago":        {func(st *stored) { st.inputs.spec, st.token.IssuedAt = "x", now.Add(-time.Minute) }, true},
		"issued in another's future": {func(st *stored) { st.inputs.spec, st.token.IssuedAt = "x", now.Add(time.Hour) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := newScope(t, newReg())
			s.stored = &stored{authentic: true, inputs: inputs{spec: specInputs(s.reg)}, token: provision.Token{IssuedAt: now.Add(-time.Hour)}}
			test.change(s.stored)
			NewWithT(t).Expect(s.rotationDue(now)).To(Equal(test.want))
		})
	}
	_, s := newScope(t, newReg())
	NewWithT(t).Expect(s.rotationDue(now)).To(BeFalse(), "nothing is stored")
}

func TestRenewal(t *testing.T) {
	// A server whose clock is an hour ahead of ours.
	claims := fmt.Sprintf(`{"iat":%d,"exp":%d}`, now.Add(time.Hour).Unix(), now.Add(11*time.Hour).Unix())
	ahead := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	for name, test := range map[string]struct {
		token  provision.Token
		random float64
		want   time.Time
	}{
		"without expiry":       {provision.Token{}, 0.5, time.Time{}},
		"ten hours":            {provision.Token{ExpiresAt: now.Add(10 * time.Hour)}, 0.5, now.Add(8 * time.Hour)},
		"ten hours, soonest":   {provision.Token{ExpiresAt: now.Add(10 * time.Hour)}, 0, now.Add(7*time.Hour + 30*time.Minute)},
		"ten hours, latest":    {provision.Token{ExpiresAt: now.Add(10 * time.Hour)}, 1, now.Add(8*time.Hour + 30*time.Minute)},
		"by another clock":     {provision.Token{Value: ahead, ExpiresAt: now.Add(11 * time.Hour)}, 0.5, now.Add(8 * time.Hour)},
		"next to no life":      {provision.Token{ExpiresAt: now.Add(time.Second)}, 0.5, now.Add(time.Minute)},
		"expired already":      {provision.Token{ExpiresAt: now.Add(-time.Hour)}, 0.5, now.Add(time.Minute)},
		"as long as it can be": {provision.Token{ExpiresAt: now.Add(100 * time.Hour)}, 0.5, now.Add(80 * time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReconciler(t, newServer(t))
			r.random = func() float64 { return test.random }
			NewWithT(t).Expect(r.renewal(test.token, now)).To(BeTemporally("~", test.want, time.Millisecond))
		})
	}
}

func TestWhatHappensToTheKubeconfigAsksForNoOtherToken(t *testing.T) {
	g := NewWithT(t)
	reg := newReg()
	before := specInputs(reg)
	reg.Spec.Bootstrap.AfterRegistration = v1alpha1.AfterRegistrationDelete
	g.Expect(specInputs(reg)).To(Equal(before))
	reg.Spec.Bootstrap.KubeconfigSecretRef.Key = "other"
	g.Expect(specInputs(reg)).NotTo(Equal(before))
}
