// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package apply_test

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/applyconfigurations"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/ccluster-go/ccluster-go/pkg/apply"
)

// A controller keeps a ConfigMap as intended, and writes only when it must.
func Example() {
	ctx := context.Background()
	kube := fake.NewClientBuilder().
		WithTypeConverters(applyconfigurations.NewTypeConverter(scheme.Scheme)).
		WithReturnManagedFields().
		Build()
	applier, err := apply.New(kube, applyconfigurations.NewTypeConverter(scheme.Scheme), "settings-controller")
	if err != nil {
		fmt.Println(err)
		return
	}
	intent := func(level string) *corev1ac.ConfigMapApplyConfiguration {
		return corev1ac.ConfigMap("settings", "team").WithData(map[string]string{"level": level})
	}

	live := &corev1.ConfigMap{}
	if err := applier.Create(ctx, intent("info"), live); err != nil {
		fmt.Println(err)
		return
	}
	for _, level := range []string{"info", "debug"} {
		wrote, err := applier.Ensure(ctx, live, intent(level), live)
		fmt.Println(level, wrote, err)
	}

	// Another client asks politely, and learns whose field it is.
	cli, err := apply.New(kube, applyconfigurations.NewTypeConverter(scheme.Scheme), "cli")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = cli.Object(ctx, intent("error"), nil, apply.Unforced)
	fmt.Println(apply.Conflicts(err))

	var foreign *apply.ErrForeign
	if err := cli.Create(ctx, intent("error"), nil); errors.As(err, &foreign) {
		fmt.Println(foreign)
	}
	fmt.Println(kube.Get(ctx, client.ObjectKeyFromObject(live), live), live.Data["level"])
	// Output:
	// info false <nil>
	// debug true <nil>
	// [{.data.level settings-controller}]
	// ConfigMap team/settings already exists and is managed by settings-controller
	// <nil> debug
}
