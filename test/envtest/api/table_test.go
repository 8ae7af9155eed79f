// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/testenv"
	"github.com/ccluster-go/ccluster-go/internal/testenv/apicases"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

var _ = Describe("Rules", func() {
	for _, c := range apicases.All() {
		verdict := "rejects "
		if c.Accepted() {
			verdict = "accepts "
		}
		It(verdict+string(c.Request)+": "+c.Name, func(ctx SpecContext) {
			namespace := testenv.Namespace(GinkgoTB(), kube)
			old := object(c.Old, namespace)
			if c.Old != nil {
				Expect(kube.Create(ctx, old)).To(Succeed(), "the object before the change")
			}
			obj := object(c.New, namespace)

			offline := validate(c.Request, old, obj)
			server := send(ctx, c.Request, old, obj)
			if c.Accepted() {
				Expect(server).NotTo(HaveOccurred())
				Expect(offline).NotTo(HaveOccurred(), "the offline check differs")
				expectStored(ctx, c, obj)
				return
			}
			if c.Want.Type == apicases.CauseUnknownField {
				Expect(apierrors.IsBadRequest(server)).To(BeTrue(), "%v", server)
				Expect(server).To(MatchError(ContainSubstring("unknown field %q", c.Want.Field)))
				Expect(offline).To(MatchError(ContainSubstring(c.Want.Field + ": Forbidden: unknown field")))
				return
			}
			Expect(apierrors.IsInvalid(server)).To(BeTrue(), "%v", server)
			causes := causesOf(server)
			Expect(causes).To(ContainElement(And(
				HaveField("Type", c.Want.Type), HaveField("Field", c.Want.Field), HaveField("Message", ContainSubstring(c.Want.Message)),
			)))
			Expect(offlineCauses(offline)).To(ConsistOf(withheld(causes)), "the offline check differs")
		})
	}
})

func object(o apicases.Object, namespace string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(o)}
	if o != nil {
		u.SetNamespace(namespace)
	}
	return u
}

func send(ctx context.Context, request apicases.Request, old, obj *unstructured.Unstructured) error {
	switch request {
	case apicases.Create:
		return kube.Create(ctx, obj)
	case apicases.Update:
		obj.SetResourceVersion(old.GetResourceVersion())
		return kube.Update(ctx, obj)
	default:
		obj.SetResourceVersion(old.GetResourceVersion())
		return kube.Status().Update(ctx, obj)
	}
}

func validate(request apicases.Request, old, obj *unstructured.Unstructured) error {
	switch request {
	case apicases.Create:
		return ccluster.Validate(obj)
	case apicases.Update:
		return ccluster.ValidateUpdate(old, obj)
	default:
		return ccluster.ValidateStatusUpdate(old, obj)
	}
}

// expectStored reads the object back.
func expectStored(ctx context.Context, c apicases.Case, sent *unstructured.Unstructured) {
	GinkgoHelper()
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(sent.GroupVersionKind())
	Expect(kube.Get(ctx, client.ObjectKeyFromObject(sent), live)).To(Succeed())
	Expect(live.GetName()).NotTo(BeEmpty())
	if c.Stored != nil {
		Expect(live.Object["spec"]).To(Equal(c.Stored))
	}
	for _, part := range []string{"spec", "status"} {
		if c.New[part] != nil {
			Expect(missing(part, c.New[part], live.Object[part])).To(BeEmpty(), "%v", live.Object)
		}
	}
}

// missing lists the fields of want that got does not have. A null in want stands for nothing.
func missing(path string, want, got any) []string {
	switch want := want.(type) {
	case nil:
		return nil
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return []string{path}
		}
		var all []string
		for key, value := range want {
			all = append(all, missing(path+"."+key, value, got[key])...)
		}
		return all
	default:
		if same, _ := Equal(want).Match(got); !same {
			return []string{path}
		}
		return nil
	}
}

// unchecked is the server's note that CEL rules were left out. It is no cause.
const unchecked = "some validation rules were not checked"

func causesOf(err error) []metav1.StatusCause {
	GinkgoHelper()
	var status apierrors.APIStatus
	Expect(errors.As(err, &status)).To(BeTrue(), "%v", err)
	var causes []metav1.StatusCause
	for _, cause := range status.Status().Details.Causes {
		if !strings.Contains(cause.Message, unchecked) {
			causes = append(causes, cause)
		}
	}
	return causes
}

func offlineCauses(err error) []metav1.StatusCause {
	GinkgoHelper()
	var aggregate utilerrors.Aggregate
	Expect(errors.As(err, &aggregate)).To(BeTrue(), "%v", err)
	var causes []metav1.StatusCause
	for _, e := range aggregate.Errors() {
		var one *field.Error
		Expect(errors.As(e, &one)).To(BeTrue(), "%v", e)
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(one.Type), Field: one.Field, Message: one.ErrorBody()})
	}
	return causes
}

// withheld takes the rejected value out of the server's message where the offline check leaves
// it out: it may hold a password.
func withheld(causes []metav1.StatusCause) []metav1.StatusCause {
	for i, cause := range causes {
		if cause.Field != "spec.endpoint.server" && cause.Field != "spec.endpoint.proxyURL" {
			continue
		}
		if start := strings.Index(cause.Message, cause.Field+" in body"); start >= 0 {
			causes[i].Message = "Invalid value: " + cause.Message[start:]
		}
	}
	return causes
}
