// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// controller is one that the manager can run.
type controller struct {
	// name is what --controllers calls it.
	name string
	// cached says which objects of a kind the manager's cache holds for it.
	cached func() map[client.Object]cache.ByObject
	// setup adds it to the manager.
	setup func(context.Context, *environment) error
}

// controllers are all that exist. A new one is a file of its own and a line here.
func controllers() []controller {
	return []controller{
		registrationController(),
		infraPlaneController(),
	}
}

func controllerNames() []string {
	all := controllers()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	return names
}

// selected returns the controllers of the options, each once.
func (o *Options) selected() ([]controller, error) {
	var chosen []controller
	for _, c := range controllers() {
		if slices.Contains(o.Controllers, c.name) {
			chosen = append(chosen, c)
		}
	}
	known := controllerNames()
	for _, name := range o.Controllers {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--controllers: there is no controller %q: choose from %s", name, strings.Join(known, ", "))
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--controllers must name at least one of %s", strings.Join(known, ", "))
	}
	return chosen, nil
}
