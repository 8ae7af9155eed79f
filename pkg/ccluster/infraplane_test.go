// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package ccluster_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

const (
	canary          = "zQ7t0k9-W9xV4Jq"
	credentialsName = "edge-1-credentials"
	applyPlane      = "apply CCLInfraPlane team/edge-1 as ccluster-go"
	applySecret     = "apply Secret team/edge-1-credentials as ccluster-go"
	deletePlane     = "delete CCLInfraPlane team/edge-1"
	deleteSecret    = "delete Secret team/edge-1-credentials"
)

func newCA(t *testing.T) []byte {
	t.Helper()
	g := NewWithT(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	g.Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	g.Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// edge is a plane with every field set.
func edge(t *testing.T) ccluster.InfraPlane {
	t.Helper()
	return ccluster.InfraPlane{
		Server: "https://edge-1.example:6443", BearerToken: canary, CACert: newCA(t),
		TLSServerName: "edge-1.internal", ProxyURL: "http://proxy.example:3128",
		Namespaces: []string{"b", "a"}, ClusterResources: true,
		Labels: map[string]string{"tier": "edge"}, Annotations: map[string]string{"note": "n"},
		Finalizer: "example.com/keep",
	}
}

// registration is one that may control a plane.
func registration(uid types.UID) *v1alpha1.ClusterRegistration {
	return &v1alpha1.ClusterRegistration{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "edge-1", UID: uid}}
}

func controlledBy(kind, name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{
		APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: kind, Name: name, UID: uid, Controller: new(true), BlockOwnerDeletion: new(true),
	}}
}

func planeOf(owners []metav1.OwnerReference) *v1alpha1.CCLInfraPlane {
	return &v1alpha1.CCLInfraPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "edge-1", UID: "uid-plane", OwnerReferences: owners}}
}

func secretOf(owners []metav1.OwnerReference) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: credentialsName, UID: "uid-secret", OwnerReferences: owners}}
}

func TestApplyInfraPlaneOfTheOwnCluster(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c := ccluster.NewClient(server, "team")
	plane, err := c.ApplyInfraPlane(t.Context(), "edge-1", ccluster.InfraPlane{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{applyPlane}))
	g.Expect(plane.UID).To(BeEquivalentTo("uid-1"), "as the server made it")
	g.Expect(plane.Spec).To(BeZero())
	g.Expect(plane.OwnerReferences).To(BeEmpty())
	server.calls = nil

	again, err := c.ApplyInfraPlane(t.Context(), "edge-1", ccluster.InfraPlane{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.calls).To(Equal([]string{"get CCLInfraPlane team/edge-1"}))
	g.Expect(again.UID).To(Equal(plane.UID))
}

func TestApplyInfraPlaneWritesBoth(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c, wanted := ccluster.NewClient(server, "team"), edge(t)
	plane, err := c.ApplyInfraPlane(t.Context(), "edge-1", wanted)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{applySecret, applyPlane}), "the plane never names a Secret that is not there")
	g.Expect(plane.Spec.ClusterCredentialsRef.Name).To(Equal(credentialsName))
	g.Expect(plane.Namespace).To(Equal("team"))
	g.Expect(plane.UID).NotTo(BeEmpty())

	secret := &corev1.Secret{}
	g.Expect(server.find(t, secret, credentialsName)).To(BeTrue())
	g.Expect(secret.Type).To(Equal(corev1.SecretTypeOpaque))
	g.Expect(secret.Labels).To(Equal(map[string]string{"tier": "edge"}))
	g.Expect(secret.Annotations).To(Equal(map[string]string{"note": "n"}))
	g.Expect(secret.Finalizers).To(Equal([]string{"example.com/keep"}))
	g.Expect(secret.OwnerReferences).To(BeEmpty())
	g.Expect(secret.Data).To(HaveLen(4))
	cluster, err := argocd.ParseCluster(secret.Data)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cluster.Server).To(Equal("https://edge-1.example:6443"))
	g.Expect(cluster.Name).To(BeEmpty())
	g.Expect(cluster.Namespaces).To(Equal([]string{"a", "b"}))
	g.Expect(cluster.ClusterResources).To(BeTrue())
	g.Expect(cluster.Config.BearerToken).To(Equal(canary))
	g.Expect(cluster.Config.ProxyURL).To(Equal("http://proxy.example:3128"))
	g.Expect(cluster.Config.TLSClientConfig).To(Equal(argocd.TLSClientConfig{ServerName: "edge-1.internal", CAData: wanted.CACert}))
}

func TestApplyInfraPlaneAgainWritesNothing(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c, wanted := ccluster.NewClient(server, "team"), edge(t)
	first, err := c.EnsureInfraPlane(t.Context(), "edge-1", wanted)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first.WroteSecret).To(BeTrue())
	g.Expect(first.WrotePlane).To(BeTrue())
	server.calls = nil

	wanted.Namespaces = []string{"a", "b"} // The order says nothing.
	again, err := c.EnsureInfraPlane(t.Context(), "edge-1", wanted)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.WroteSecret).To(BeFalse())
	g.Expect(again.WrotePlane).To(BeFalse())
	g.Expect(server.calls).To(Equal([]string{"get CCLInfraPlane team/edge-1", "get Secret team/edge-1-credentials"}))
	g.Expect(again.Plane.UID).To(Equal(first.Plane.UID))
	g.Expect(again.Plane.Spec).To(Equal(first.Plane.Spec))
}

func TestApplyInfraPlaneReplacesTheToken(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c, wanted := ccluster.NewClient(server, "team"), edge(t)
	_, err := c.ApplyInfraPlane(t.Context(), "edge-1", wanted)
	g.Expect(err).NotTo(HaveOccurred())
	before := &corev1.Secret{}
	g.Expect(server.find(t, before, credentialsName)).To(BeTrue())
	before.Annotations["theirs"] = "kept"
	g.Expect(server.server.Update(t.Context(), before, client.FieldOwner("kubectl-edit"))).To(Succeed())
	server.calls = nil

	wanted.BearerToken, wanted.Labels = "another", nil
	applied, err := c.EnsureInfraPlane(t.Context(), "edge-1", wanted)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{applySecret}))
	g.Expect(applied.WroteSecret).To(BeTrue())
	g.Expect(applied.WrotePlane).To(BeFalse())
	after := &corev1.Secret{}
	g.Expect(server.find(t, after, credentialsName)).To(BeTrue())
	g.Expect(after.UID).To(Equal(before.UID), "in place")
	g.Expect(string(after.Data["config"])).To(And(ContainSubstring("another"), Not(ContainSubstring(canary))))
	g.Expect(after.Labels).To(BeEmpty(), "what is left out is removed")
	g.Expect(after.Annotations).To(Equal(map[string]string{"note": "n", "theirs": "kept"}))
}

// A plane that becomes the operator's own cluster names no credential any more.
func TestApplyInfraPlaneGivesUpTheCredential(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	c := ccluster.NewClient(server, "team")
	_, err := c.ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred())
	plane, err := c.ApplyInfraPlane(t.Context(), "edge-1", ccluster.InfraPlane{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(plane.Spec).To(BeZero())
}

func TestApplyInfraPlaneWritesAsItsFieldManager(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	_, err := ccluster.NewClient(server, "team", ccluster.WithFieldManager("cli")).ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{"apply Secret team/edge-1-credentials as cli", "apply CCLInfraPlane team/edge-1 as cli"}))
	_, err = ccluster.NewClient(server, "team", ccluster.WithFieldManager("")).ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).To(MatchError("create applier: owner must not be empty"))
}

func TestApplyInfraPlaneChecksFirst(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ccluster.InfraPlane)
		want   error
	}{
		"no server":           {func(p *ccluster.InfraPlane) { p.Server = "" }, argocd.ErrNoServer},
		"http":                {func(p *ccluster.InfraPlane) { p.Server = "http://edge-1.example" }, argocd.ErrNoServer},
		"in-cluster":          {func(p *ccluster.InfraPlane) { p.Server = "https://kubernetes.default.svc" }, argocd.ErrInCluster},
		"no token":            {func(p *ccluster.InfraPlane) { p.BearerToken = "" }, argocd.ErrNoToken},
		"not PEM":             {func(p *ccluster.InfraPlane) { p.CACert = []byte(canary) }, argocd.ErrCA},
		"insecure with CA":    {func(p *ccluster.InfraPlane) { p.Insecure = true }, argocd.ErrInsecureWithCA},
		"a proxy's password":  {func(p *ccluster.InfraPlane) { p.ProxyURL = "http://u:" + canary + "@proxy.example" }, argocd.ErrProxy},
		"a token alone":       {func(p *ccluster.InfraPlane) { *p = ccluster.InfraPlane{BearerToken: canary} }, argocd.ErrNoServer},
		"a certificate alone": {func(p *ccluster.InfraPlane) { *p = ccluster.InfraPlane{CACert: p.CACert} }, argocd.ErrNoServer},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, wanted := newFakeServer(t), edge(t)
			test.change(&wanted)
			applied, err := ccluster.NewClient(server, "team").EnsureInfraPlane(t.Context(), "edge-1", wanted)
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).To(MatchError(HavePrefix("encode credentials: ")))
			g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			g.Expect(applied).To(BeZero())
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}

func TestApplyInfraPlaneUnverified(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	_, err := ccluster.NewClient(server, "team").ApplyInfraPlane(t.Context(), "edge-1",
		ccluster.InfraPlane{Server: "https://edge-1.example", BearerToken: canary, Insecure: true})
	g.Expect(err).NotTo(HaveOccurred())
	secret := &corev1.Secret{}
	g.Expect(server.find(t, secret, credentialsName)).To(BeTrue())
	g.Expect(string(secret.Data["config"])).To(Equal(`{"bearerToken":"` + canary + `","tlsClientConfig":{"insecure":true}}`))
}

// Somebody else's plane must not get our credential, nor our plane somebody else's.
func TestApplyInfraPlaneRefusesOthersObjects(t *testing.T) {
	owner := registration("uid-ours")
	kept := controlledBy("ClusterRegistration", "edge-1", "uid-other")
	ours := controlledBy("ClusterRegistration", "edge-1", "uid-ours")
	for name, test := range map[string]struct {
		owner         client.Object
		plane, secret *[]metav1.OwnerReference
		want          error
		message       string
	}{
		"a registration's plane":  {plane: &kept, want: ccluster.ErrManagedByRegistration, message: "CCLInfraPlane team/edge-1: managed by a ClusterRegistration: change or delete that instead"},
		"a registration's Secret": {secret: &kept, want: ccluster.ErrManagedByRegistration, message: "Secret team/edge-1-credentials: managed by a ClusterRegistration: change or delete that instead"},
		"a registration's Secret of our plane": {
			plane: &[]metav1.OwnerReference{}, secret: &kept, want: ccluster.ErrManagedByRegistration,
			message: "Secret team/edge-1-credentials: managed by a ClusterRegistration: change or delete that instead",
		},
		"an earlier namesake's plane": {
			owner: owner, plane: &kept, want: &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1", Former: true},
			message: "CCLInfraPlane team/edge-1 of an earlier object of the same name is still being removed",
		},
		"an earlier namesake's Secret": {
			owner: owner, secret: &kept, want: &ccluster.NotControlledError{Kind: "Secret", Namespace: "team", Name: credentialsName, Former: true},
			message: "Secret team/edge-1-credentials of an earlier object of the same name is still being removed",
		},
		"an earlier namesake's Secret of our plane": {
			owner: owner, plane: &ours, secret: &kept, want: &ccluster.NotControlledError{Kind: "Secret", Namespace: "team", Name: credentialsName, Former: true},
			message: "Secret team/edge-1-credentials of an earlier object of the same name is still being removed",
		},
		"nobody's plane": {
			owner: owner, plane: &[]metav1.OwnerReference{}, want: &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"},
			message: "CCLInfraPlane team/edge-1 exists and belongs to somebody else: remove it or choose another name",
		},
		"nobody's Secret": {
			owner: owner, secret: &[]metav1.OwnerReference{}, want: &ccluster.NotControlledError{Kind: "Secret", Namespace: "team", Name: credentialsName},
			message: "Secret team/edge-1-credentials exists and belongs to somebody else: remove it or choose another name",
		},
		"another registration's plane": {
			owner: owner, plane: new(controlledBy("ClusterRegistration", "edge-2", "uid-2")),
			want:    &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"},
			message: "CCLInfraPlane team/edge-1 exists and belongs to somebody else: remove it or choose another name",
		},
		"a plane of another kind's namesake": {
			owner: owner, plane: new(controlledBy("CCLComponentSet", "edge-1", "uid-2")),
			want:    &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"},
			message: "CCLInfraPlane team/edge-1 exists and belongs to somebody else: remove it or choose another name",
		},
		"a plane that we own but do not control": {
			owner: owner, plane: &[]metav1.OwnerReference{{APIVersion: ours[0].APIVersion, Kind: ours[0].Kind, Name: "edge-1", UID: "uid-ours"}},
			want:    &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"},
			message: "CCLInfraPlane team/edge-1 exists and belongs to somebody else: remove it or choose another name",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var objects []client.Object
			if test.plane != nil {
				objects = append(objects, planeOf(*test.plane))
			}
			if test.secret != nil {
				objects = append(objects, secretOf(*test.secret))
			}
			server := newFakeServer(t, objects...)
			var options []ccluster.Option
			if test.owner != nil {
				options = append(options, ccluster.WithController(test.owner))
			}
			plane, err := ccluster.NewClient(server, "team", options...).ApplyInfraPlane(t.Context(), "edge-1", edge(t))
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).To(MatchError(test.message))
			g.Expect(plane).To(BeNil())
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}

// Without WithController, whoever else controls the objects is no concern.
func TestApplyInfraPlaneKeepsOtherControllers(t *testing.T) {
	g := NewWithT(t)
	owners := controlledBy("CCLComponentSet", "x", "uid-x")
	server := newFakeServer(t, planeOf(owners), secretOf(owners))
	plane, err := ccluster.NewClient(server, "team").ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(plane.OwnerReferences).To(Equal(owners))
}

func TestApplyInfraPlaneWithController(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t)
	owner := registration("uid-ours")
	c := ccluster.NewClient(server, "team", ccluster.WithController(owner))
	plane, err := c.ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{applySecret, applyPlane}))
	secret := &corev1.Secret{}
	g.Expect(server.find(t, secret, credentialsName)).To(BeTrue())
	g.Expect(plane.OwnerReferences).To(Equal(controlledBy("ClusterRegistration", "edge-1", "uid-ours")))
	g.Expect(secret.OwnerReferences).To(Equal(plane.OwnerReferences))
	server.calls = nil

	_, err = c.ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.writes()).To(Equal([]string{applySecret}), "another CA")

	_, err = ccluster.NewClient(server, "team").ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).To(MatchError(ccluster.ErrManagedByRegistration))

	_, err = ccluster.NewClient(server, "team", ccluster.WithController(registration(""))).ApplyInfraPlane(t.Context(), "edge-1", edge(t))
	g.Expect(err).To(MatchError(`build owner reference: ClusterRegistration "edge-1" must have a name and a uid`))
}

// An object that appears between the look and the write is somebody else's.
func TestApplyInfraPlaneMeetsAFasterOne(t *testing.T) {
	for name, test := range map[string]struct {
		at     string
		object client.Object
		want   *ccluster.NotControlledError
	}{
		"the Secret": {applySecret, secretOf(nil), &ccluster.NotControlledError{Kind: "Secret", Namespace: "team", Name: credentialsName}},
		"the plane":  {applyPlane, planeOf(nil), &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakeServer(t)
			server.answer = func(call string) error {
				if call != test.at {
					return nil
				}
				server.answer = nil
				theirs, _ := test.object.DeepCopyObject().(client.Object)
				theirs.SetLabels(map[string]string{"theirs": "yes"})
				return server.server.Create(t.Context(), theirs, client.FieldOwner("other"))
			}
			_, err := ccluster.NewClient(server, "team", ccluster.WithController(registration("uid-ours"))).
				ApplyInfraPlane(t.Context(), "edge-1", edge(t))
			g.Expect(err).To(Equal(test.want))
			live, _ := test.object.DeepCopyObject().(client.Object)
			g.Expect(server.find(t, live, test.object.GetName())).To(BeTrue())
			g.Expect(live.GetManagedFields()).To(ConsistOf(HaveField("Manager", "other")))
		})
	}
}

func TestInfraPlaneCallsReportErrors(t *testing.T) {
	down := apierrors.NewInternalError(errors.New("down"))
	put := func(ctx context.Context, c *ccluster.Client) error {
		_, err := c.ApplyInfraPlane(ctx, "edge-1", ccluster.InfraPlane{Server: "https://edge-1.example", BearerToken: canary})
		return err
	}
	get := func(ctx context.Context, c *ccluster.Client) error {
		_, err := c.GetInfraPlane(ctx, "edge-1")
		return err
	}
	remove := func(ctx context.Context, c *ccluster.Client) error { return c.DeleteInfraPlane(ctx, "edge-1") }
	for name, test := range map[string]struct {
		run        func(context.Context, *ccluster.Client) error
		call, want string
	}{
		"apply, read plane":     {put, "get CCLInfraPlane team/edge-1", "read CCLInfraPlane team/edge-1: "},
		"apply, read Secret":    {put, "get Secret team/edge-1-credentials", "read Secret team/edge-1-credentials: "},
		"apply, write Secret":   {put, applySecret, "apply Secret team/edge-1-credentials: "},
		"apply, write plane":    {put, applyPlane, "apply CCLInfraPlane team/edge-1: "},
		"get":                   {get, "get CCLInfraPlane team/edge-1", "read CCLInfraPlane team/edge-1: "},
		"delete, read plane":    {remove, "get CCLInfraPlane team/edge-1", "read CCLInfraPlane team/edge-1: "},
		"delete, plane":         {remove, deletePlane, "delete CCLInfraPlane team/edge-1: "},
		"delete, read Secret":   {remove, "get Secret team/edge-1-credentials", "read Secret team/edge-1-credentials: "},
		"delete, Secret":        {remove, deleteSecret, "delete Secret team/edge-1-credentials: "},
		"namespace, read or so": {func(ctx context.Context, c *ccluster.Client) error { return c.EnsureNamespace(ctx) }, "apply Namespace team as ccluster-go", "apply Namespace team: "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakeServer(t)
			if test.call == deletePlane || test.call == deleteSecret {
				server = newFakeServer(t, planeOf(nil), secretOf(nil))
			}
			server.answer = func(call string) error {
				if call == test.call {
					return down
				}
				return nil
			}
			err := test.run(t.Context(), ccluster.NewClient(server, "team"))
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(errors.Is(err, down)).To(BeTrue())
			g.Expect(err).NotTo(MatchError(ContainSubstring(canary)))
			g.Expect(server.calls[len(server.calls)-1]).To(Equal(test.call), "nothing is done after it")
		})
	}
}

func TestGetInfraPlane(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t, planeOf(nil))
	c := ccluster.NewClient(server, "team")
	plane, err := c.GetInfraPlane(t.Context(), "edge-1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(plane.UID).To(BeEquivalentTo("uid-plane"))

	plane, err = c.GetInfraPlane(t.Context(), "edge-2")
	g.Expect(apierrors.IsNotFound(err)).To(BeTrue())
	g.Expect(err).To(MatchError(HavePrefix("read CCLInfraPlane team/edge-2: ")))
	g.Expect(plane).To(BeNil())

	_, err = ccluster.NewClient(server, "other").GetInfraPlane(t.Context(), "edge-1")
	g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "a client reaches no other namespace")
}

func TestDeleteInfraPlane(t *testing.T) {
	g := NewWithT(t)
	elsewhere := planeOf(nil)
	elsewhere.Namespace = "other"
	server := newFakeServer(t, planeOf(nil), secretOf(nil), elsewhere)
	c := ccluster.NewClient(server, "team")
	g.Expect(c.DeleteInfraPlane(t.Context(), "edge-1")).To(Succeed())
	g.Expect(server.writes()).To(Equal([]string{deletePlane, deleteSecret}), "whoever drains the plane needs the Secret")
	g.Expect(server.find(t, &v1alpha1.CCLInfraPlane{}, "edge-1")).To(BeFalse())
	g.Expect(server.find(t, &corev1.Secret{}, credentialsName)).To(BeFalse())
	server.calls = nil

	g.Expect(c.DeleteInfraPlane(t.Context(), "edge-1")).To(Succeed(), "what is absent is no error")
	g.Expect(server.writes()).To(BeEmpty())
	var planes v1alpha1.CCLInfraPlaneList
	g.Expect(server.server.List(t.Context(), &planes)).To(Succeed())
	g.Expect(planes.Items).To(ConsistOf(HaveField("Namespace", "other")))
}

func TestDeleteInfraPlaneAfterAnInterruption(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t, secretOf(nil))
	g.Expect(ccluster.NewClient(server, "team").DeleteInfraPlane(t.Context(), "edge-1")).To(Succeed())
	g.Expect(server.writes()).To(Equal([]string{deleteSecret}))
}

func TestDeleteInfraPlaneMeetsAFasterOne(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t, planeOf(nil), secretOf(nil))
	server.answer = func(call string) error {
		if call == deletePlane {
			return apierrors.NewNotFound(v1alpha1.SchemeGroupVersion.WithResource("cclinfraplanes").GroupResource(), "edge-1")
		}
		return nil
	}
	g.Expect(ccluster.NewClient(server, "team").DeleteInfraPlane(t.Context(), "edge-1")).To(Succeed())
	g.Expect(server.writes()).To(Equal([]string{deletePlane, deleteSecret}))
}

func TestDeleteInfraPlaneRefusesOthersObjects(t *testing.T) {
	kept := controlledBy("ClusterRegistration", "edge-1", "uid-other")
	for name, test := range map[string]struct {
		options []ccluster.Option
		owners  []metav1.OwnerReference
		want    error
		writes  []string
	}{
		"a registration's": {owners: kept, want: ccluster.ErrManagedByRegistration},
		"nobody's, as a controller": {
			options: []ccluster.Option{ccluster.WithController(registration("uid-ours"))},
			want:    &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1"},
		},
		"an earlier one's, as a controller": {
			options: []ccluster.Option{ccluster.WithController(registration("uid-ours"))}, owners: kept,
			want: &ccluster.NotControlledError{Kind: "CCLInfraPlane", Namespace: "team", Name: "edge-1", Former: true},
		},
		"its own, as a controller": {
			options: []ccluster.Option{ccluster.WithController(registration("uid-other"))}, owners: kept,
			writes: []string{deletePlane, deleteSecret},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakeServer(t, planeOf(test.owners), secretOf(test.owners))
			err := ccluster.NewClient(server, "team", test.options...).DeleteInfraPlane(t.Context(), "edge-1")
			if test.want == nil {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
			g.Expect(server.writes()).To(HaveLen(len(test.writes)))
			g.Expect(server.writes()).To(ConsistOf(test.writes))
		})
	}
}

// Nothing is deleted if either of the two is somebody's.
func TestDeleteInfraPlaneLooksAtBothFirst(t *testing.T) {
	g := NewWithT(t)
	server := newFakeServer(t, planeOf(nil), secretOf(controlledBy("ClusterRegistration", "edge-1", "uid-other")))
	g.Expect(ccluster.NewClient(server, "team").DeleteInfraPlane(t.Context(), "edge-1")).To(MatchError(ccluster.ErrManagedByRegistration))
	g.Expect(server.writes()).To(BeEmpty())
}

// Only the zero value is the operator's own cluster: a forgotten server must not make it that.
func TestAPlaneWithoutAServerIsRefused(t *testing.T) {
	for name, plane := range map[string]ccluster.InfraPlane{
		"token": {BearerToken: "t"}, "authority": {CACert: newCA(t)}, "server name": {TLSServerName: "x"},
		"proxy": {ProxyURL: "http://proxy.example:3128"}, "insecure": {Insecure: true}, "namespaces": {Namespaces: []string{"a"}},
		"cluster resources": {ClusterResources: true}, "labels": {Labels: map[string]string{"a": "b"}},
		"annotations": {Annotations: map[string]string{"a": "b"}}, "finalizer": {Finalizer: "example.com/keep"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := newFakeServer(t)
			_, err := ccluster.NewClient(server, "team").ApplyInfraPlane(t.Context(), "edge-1", plane)
			g.Expect(err).To(MatchError(ContainSubstring("server")))
			g.Expect(server.writes()).To(BeEmpty())
		})
	}
}

func TestInfraPlaneDoesNotShowItself(t *testing.T) {
	plane := edge(t)
	g := NewWithT(t)
	for _, v := range []any{
		plane, &plane,
		[]ccluster.InfraPlane{plane},
		map[string]ccluster.InfraPlane{"k": plane},
		struct{ Plane ccluster.InfraPlane }{plane},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			g.Expect(fmt.Sprintf(verb, v)).NotTo(Or(ContainSubstring(canary),
				ContainSubstring(fmt.Sprintf("%x", canary)), ContainSubstring(fmt.Sprintf("%X", canary))), "%s of %T", verb, v)
		}
		text, err := json.Marshal(v)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(text)).NotTo(ContainSubstring(canary), "JSON of %T", v)
	}
	g.Expect(plane.GoString()).To(Equal("infra plane (redacted)"))
}
