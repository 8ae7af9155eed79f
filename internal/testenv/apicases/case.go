// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apicases

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Request is what a case asks the server to do.
type Request string

// Values of Request.
const (
	Create       Request = "create"
	Update       Request = "update"
	UpdateStatus Request = "update status"
)

// Object is an object as JSON has it, without a namespace.
type Object = map[string]any

// Case is one request and its verdict.
type Case struct {
	// Name is unique in the table.
	Name string
	// Kind of the object.
	Kind string
	// Rule that the case is about. The zero Rule stands for none in particular.
	Rule Rule
	// Request to make. An update starts from Old, which is valid.
	Request  Request
	Old, New Object
	// Want is one of the causes of the rejection. Nil: the request is accepted.
	Want *Cause
	// Stored is, if not nil, all that is stored as the spec.
	Stored Object
}

// Accepted says whether the request is accepted.
func (c Case) Accepted() bool { return c.Want == nil }

// Cause is one reason of a rejection, as the server states it.
type Cause struct {
	Type metav1.CauseType
	// Field in the object: `spec.components[0].name`.
	Field string
	// Message is a part of the server's message.
	Message string
}

// CauseUnknownField is the Type of the Cause for a field that the schema does not have. The
// server reports it in words only.
const CauseUnknownField metav1.CauseType = "UnknownField"

// All is the whole table. Each call makes new objects.
func All() []Case {
	var all []Case
	for _, some := range [][]Case{
		registrationCases(), registrationAccessCases(), registrationMapCases(), registrationProbeCases(), registrationUpdateCases(),
		registrationStatusCases(), infraPlaneCases(), componentSetCases(), componentSetStatusCases(),
		exampleCases(),
	} {
		all = append(all, some...)
	}
	return all
}

func clone(o Object) Object { return runtime.DeepCopyJSON(o) }
