// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/pkg/k8s"
)

// A path with such a part leads to something else, such as the namespace itself.
func TestResourcesThatLeadElsewhere(t *testing.T) {
	var asked []string
	c := clientOf(t, &rest.Config{Host: server(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Success"}`))
	})})
	for _, r := range []k8s.Resource{
		{Prefix: "/api/v1", Plural: ".."},
		{Prefix: "/api/v1", Plural: "."},
		{Prefix: "/api/v1", Plural: "pods%2fx"},
		{Prefix: "/api/..", Plural: "pods"},
		{Prefix: "/apis/../v1", Plural: "pods"},
		{Prefix: "/apis/batch/..", Plural: "jobs"},
		{Prefix: "/apis//v1", Plural: "pods"},
	} {
		_, err := c.Delete(t.Context(), r, "kube-system", k8s.DeleteOptions{})
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("k8s: Resource.")), "%v", r)
	}
	NewWithT(t).Expect(asked).To(BeEmpty())
}
