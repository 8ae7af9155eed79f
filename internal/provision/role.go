// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// grantable makes sure that there is a role to bind: the API server binds names of roles
// that do not exist. Whoever may bind a role need not be able to read it.
func (p *Plane) grantable(ctx context.Context) error {
	if p.wanted.ClusterRole == DefaultClusterRole {
		return nil
	}
	role := &rbacv1.ClusterRole{}
	err := p.client.Get(ctx, types.NamespacedName{Name: p.wanted.ClusterRole}, role)
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read ClusterRole %s: %w", p.wanted.ClusterRole, err)
	}
	p.right = firstRight(role.Rules)
	return nil
}

// Right is one that the account has by the role it is bound to and that goes when the
// binding goes; nil if the role was not read, or has none to ask about.
func (p *Plane) Right() *authorizationv1.ResourceAttributes { return p.right }

// firstRight is for all objects of a resource: rights to single ones may come from elsewhere,
// as those by which the account looks after itself do.
func firstRight(rules []rbacv1.PolicyRule) *authorizationv1.ResourceAttributes {
	for _, r := range rules {
		if len(r.ResourceNames) > 0 || len(r.APIGroups) == 0 || len(r.Resources) == 0 || len(r.Verbs) == 0 {
			continue
		}
		resource, subresource, _ := strings.Cut(r.Resources[0], "/")
		return &authorizationv1.ResourceAttributes{
			Verb: r.Verbs[0], Group: r.APIGroups[0], Resource: resource, Subresource: subresource,
		}
	}
	return nil
}
