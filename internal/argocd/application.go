// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package argocd

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
)

// Application reads an Application. What others have written is taken as it is: a field of
// another type counts as empty.
type Application struct{ *unstructured.Unstructured }

// NewApplicationList is an empty list of Applications to read into.
func NewApplicationList() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(GroupVersion.WithKind("ApplicationList"))
	return list
}

// Applications are the items of a list.
func Applications(list *unstructured.UnstructuredList) []Application {
	apps := make([]Application, len(list.Items))
	for i := range list.Items {
		apps[i] = Application{&list.Items[i]}
	}
	return apps
}

func (a Application) text(path ...string) string {
	value, _, err := unstructured.NestedString(a.Object, path...)
	if err != nil {
		return ""
	}
	return value
}

// Project is the AppProject that the Application is in.
func (a Application) Project() string { return a.text("spec", "project") }

// Targets tells whether the Application deploys to a cluster, which it names by its name or by
// its server, in whatever spelling.
func (a Application) Targets(name, server string) bool {
	if a.text("spec", "destination", "name") == name {
		return true
	}
	wanted := strings.TrimRight(a.text("spec", "destination", "server"), "/")
	if wanted == "" || server == "" {
		return false
	}
	if wanted == server {
		return true
	}
	canonical, err := kubeconfig.CanonicalServer(wanted)
	return err == nil && canonical == server
}
