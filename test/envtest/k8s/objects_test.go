// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

const (
	podYAML = `
apiVersion: v1
kind: Pod
metadata:
  generateName: pod-
  labels: {app: x, run: "7"}
spec:
  containers: [{name: c, image: busybox}]
`
	serviceJSON = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"app":"x"}},"spec":{"ports":[{"port":80}]}}`
	jobYAML     = `
apiVersion: batch/v1
kind: Job
metadata: {name: once, labels: {app: x}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: busybox, command: [sleep, inf]}]
`
	leaseYAML = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: held, labels: {app: x}}\n"
)

var leases = k8s.Resource{Prefix: "/apis/coordination.k8s.io/v1", Plural: "leases"}

var _ = Describe("Objects", func() {
	DescribeTable("are created, read, listed and deleted", func(ctx SpecContext, r k8s.Resource, manifest, kind string) {
		c := newClient()
		created, err := c.Create(ctx, r, manifest)
		Expect(err).NotTo(HaveOccurred())
		Expect(created.StringAt("/kind")).To(Equal(kind))
		Expect(created.StringAt("/metadata/namespace")).To(Equal(c.Namespace()))
		Expect(created.StringAt("/metadata/uid")).NotTo(BeEmpty())
		name, err := created.StringAt("/metadata/name")
		Expect(err).NotTo(HaveOccurred())

		got, found, err := c.Get(ctx, r, name)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		Expect(got.StringAt("/metadata/uid")).To(Equal(textAt(created, "/metadata/uid")))

		listed, err := c.List(ctx, r, "app=x")
		Expect(err).NotTo(HaveOccurred())
		Expect(listed.Items).To(HaveLen(1))
		Expect(listed.Items[0].StringAt("/kind")).To(Equal(kind))
		Expect(listed.ResourceVersion).NotTo(BeEmpty())
		others, err := c.List(ctx, r, "app!=x")
		Expect(err).NotTo(HaveOccurred())
		Expect(others.Items).To(BeEmpty())

		Expect(c.Delete(ctx, r, name, k8s.DeleteOptions{})).To(BeTrue())
		Eventually(func() (bool, error) {
			_, found, err := c.Get(ctx, r, name)
			return found, err
		}).Should(BeFalse())
		Expect(c.Delete(ctx, r, name, k8s.DeleteOptions{})).To(BeFalse())
	},
		Entry("Pods", k8s.Pods, podYAML, "Pod"),
		Entry("Services", k8s.Services, serviceJSON, "Service"),
		Entry("Jobs", k8s.Jobs, jobYAML, "Job"),
		Entry("any other", leases, leaseYAML, "Lease"),
	)

	It("are in the namespace of the client, or in another one", func(ctx SpecContext) {
		c := newClient()
		other := c.In(testenv.Namespace(GinkgoTB(), admin))
		Expect(c.In("").Namespace()).To(Equal(c.Namespace()))
		_, err := other.Create(ctx, configMaps, configMap("a", "there"))
		Expect(err).NotTo(HaveOccurred())
		_, found, err := c.Get(ctx, configMaps, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeFalse())
		got, found, err := other.Get(ctx, configMaps, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		Expect(got.StringAt("/data/value")).To(Equal("there"))
	})

	It("are listed whole, however many there are", func(ctx SpecContext) {
		c := newClient()
		const many = 501 // one more than a page
		for i := range many {
			_, err := c.Create(ctx, configMaps, configMap(fmt.Sprintf("c%03d", i), ""))
			Expect(err).NotTo(HaveOccurred())
		}
		listed, err := c.List(ctx, configMaps, "app=x")
		Expect(err).NotTo(HaveOccurred())
		names := map[string]bool{}
		for _, item := range listed.Items {
			names[textAt(item, "/metadata/name")] = true
		}
		Expect(names).To(HaveLen(many))
		Expect(listed.Items).To(HaveLen(many))
		Expect(listed.ResourceVersion).NotTo(BeEmpty())
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(many))
	})

	It("are refused with all that the API says", func(ctx SpecContext) {
		c := newClient()
		_, err := c.Create(ctx, configMaps, configMap("a", ""))
		Expect(err).NotTo(HaveOccurred())
		_, err = c.Create(ctx, configMaps, configMap("a", ""))
		path := "/api/v1/namespaces/" + c.Namespace() + "/configmaps"
		Expect(err).To(MatchError("k8s: POST " + path + `: 409 AlreadyExists: configmaps "a" already exists`))
		Expect(apierrors.IsAlreadyExists(err)).To(BeTrue())
		var refused *k8s.Error
		Expect(errors.As(err, &refused)).To(BeTrue())
		Expect(*refused).To(And(HaveField("Method", "POST"), HaveField("Path", path), HaveField("Code", 409),
			HaveField("Reason", metav1.StatusReasonAlreadyExists), HaveField("Message", `configmaps "a" already exists`)))

		_, err = c.Create(ctx, configMaps, configMap("A_", ""))
		Expect(err).To(MatchError(ContainSubstring("422 Invalid: ")))
		_, err = c.List(ctx, configMaps, "a in b")
		Expect(err).To(MatchError(HavePrefix("k8s: GET " + path + ": 400 BadRequest: ")))
		_, err = c.List(ctx, k8s.Resource{Prefix: "/apis/none.example/v1", Plural: "things"}, "")
		Expect(err).To(MatchError(HavePrefix("k8s: GET /apis/none.example/v1/namespaces/" + c.Namespace() + "/things: 404 NotFound: ")))
		_, _, err = c.Get(ctx, configMaps, "")
		Expect(err).To(MatchError(ContainSubstring("name is required")))
		_, err = c.Delete(ctx, configMaps, "", k8s.DeleteOptions{})
		Expect(err).To(MatchError(ContainSubstring("name is required")))
	})
})

var _ = Describe("What an object owns", func() {
	DescribeTable("", func(ctx SpecContext, propagation k8s.Propagation, goes bool) {
		c := newClient()
		owner, err := c.Create(ctx, configMaps, configMap("owner", ""))
		Expect(err).NotTo(HaveOccurred())
		_, err = c.Create(ctx, configMaps, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned","ownerReferences":[
			{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q,"blockOwnerDeletion":true}]}}`, textAt(owner, "/metadata/uid")))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Delete(ctx, configMaps, "owner", k8s.DeleteOptions{Propagation: propagation})).To(BeTrue())
		there := func(name string) func() (bool, error) {
			return func() (bool, error) {
				_, found, err := c.Get(ctx, configMaps, name)
				return found, err
			}
		}
		Eventually(there("owner")).Should(BeFalse())
		if !goes {
			owned, _, err := c.Get(ctx, configMaps, "owned")
			Expect(err).NotTo(HaveOccurred())
			Expect(owned.Has("/metadata/ownerReferences")).To(BeFalse())
			Consistently(there("owned")).Should(BeTrue())
			return
		}
		if propagation == k8s.Foreground {
			Expect(there("owned")()).To(BeFalse())
		}
		Eventually(there("owned")).Should(BeFalse())
	},
		Entry("goes after it by default", k8s.Propagation(""), true),
		Entry("goes after it in the background", k8s.Background, true),
		Entry("goes before it in the foreground", k8s.Foreground, true),
		Entry("stays as an orphan", k8s.Orphan, false),
	)
})

var _ = Describe("Deleting all", func() {
	It("takes what matches, and nothing else", func(ctx SpecContext) {
		c := newClient()
		for _, name := range []string{"a", "b"} {
			_, err := c.Create(ctx, configMaps, configMap(name, ""))
			Expect(err).NotTo(HaveOccurred())
		}
		_, err := c.Create(ctx, configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`)
		Expect(err).NotTo(HaveOccurred())
		for _, everything := range []string{"", " "} {
			_, err := c.DeleteAll(ctx, configMaps, everything)
			Expect(err).To(MatchError(k8s.ErrEmptySelector), "%q", everything)
		}
		for _, wrong := range []string{"a in b", ","} {
			_, err = c.DeleteAll(ctx, configMaps, wrong)
			Expect(err).To(MatchError(HavePrefix(fmt.Sprintf("k8s: selector %q: ", wrong))))
		}
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(2))
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(0))
		_, found, err := c.Get(ctx, configMaps, "c")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
	})

	It("leaves what has taken a matching object's place meanwhile", func(ctx SpecContext) {
		var swap atomic.Pointer[func()]
		c := newClient(through(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if act := swap.Load(); req.Method == http.MethodDelete && strings.HasSuffix(req.URL.Path, "/a") && act != nil {
				swap.Store(nil)
				(*act)()
			}
			return next.RoundTrip(req)
		}))
		for _, name := range []string{"a", "b"} {
			_, err := c.Create(ctx, configMaps, configMap(name, ""))
			Expect(err).NotTo(HaveOccurred())
		}
		replace := func() {
			defer GinkgoRecover()
			Expect(c.Delete(ctx, configMaps, "a", k8s.DeleteOptions{})).To(BeTrue())
			_, err := c.Create(ctx, configMaps, configMap("a", "new"))
			Expect(err).NotTo(HaveOccurred())
		}
		swap.Store(&replace)
		Expect(c.DeleteAll(ctx, configMaps, "app=x")).To(Equal(1))
		got, found, err := c.Get(ctx, configMaps, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeTrue())
		Expect(got.StringAt("/data/value")).To(Equal("new"))
	})
})

func textAt(v k8s.Value, pointer string) string {
	GinkgoHelper()
	text, err := v.StringAt(pointer)
	Expect(err).NotTo(HaveOccurred())
	return text
}
