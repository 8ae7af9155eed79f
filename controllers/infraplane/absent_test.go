// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAbsentKinds(t *testing.T) {
	kind := schema.GroupKind{Group: "argoproj.io", Kind: "AppProject"}
	resource := schema.GroupResource{Group: "argoproj.io", Resource: "appprojects"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"the mapper does not know it": {&meta.NoKindMatchError{GroupKind: kind}, true},
		"the server does not":         {apierrors.NewGenericServerResponse(404, "get", resource, "a", "404 page not found", 0, true), true},
		"wrapped":                     {fmt.Errorf("read: %w", &meta.NoKindMatchError{GroupKind: kind}), true},
		"an object is absent":         {apierrors.NewNotFound(resource, "a"), false},
		"another failure":             {errors.New("plain"), false},
		"none":                        {nil, false},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(isAbsentKind(test.err)).To(Equal(test.want)) })
	}
}
