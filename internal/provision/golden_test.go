// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	ccluster "github.com/ccluster-go/ccluster-go/api/v1alpha1"
)

// go test ./internal/provision -update writes the files below testdata.
var update = flag.Bool("update", false, "write the golden files")

// Everything that is sent to a plane, in order, for each way to grant rights.
func TestIntents(t *testing.T) {
	team := []string{"team", "kube-system", "apps"}
	for name, test := range map[string]struct {
		access ccluster.Access
		change func(*Wanted)
		token  func(context.Context, *Plane) error
	}{
		"cluster-admin": {access: ccluster.Access{Binding: ccluster.BindingClusterRoleBinding}},
		"cluster-role":  {access: ccluster.Access{Binding: ccluster.BindingClusterRoleBinding, ClusterRoleName: "view"}},
		"role-bindings": {access: ccluster.Access{Binding: ccluster.BindingRoleBindings, Namespaces: team, ClusterRoleName: "edit"}},
		"none":          {access: ccluster.Access{Binding: ccluster.BindingNone}},
		"claim-per-account": {
			access: ccluster.Access{Binding: ccluster.BindingNone},
			change: func(w *Wanted) { w.Account.Namespace, w.Account.Name, w.ClaimPerAccount = "ops", "edge", true },
		},
		"bound-token": {
			access: ccluster.Access{Binding: ccluster.BindingNone},
			token: func(ctx context.Context, p *Plane) error {
				_, err := p.Bound(ctx, "uid-2", "", 0)
				return err
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server, wanted := newFakePlane(), wantedOf(&test.access)
			if test.change != nil {
				test.change(&wanted)
			}
			plane := newPlane(t, server, wanted)
			g.Expect(plane.Claim(t.Context())).To(Succeed())
			account, err := plane.Account(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(plane.Access(t.Context(), account)).To(Succeed())
			if test.token == nil {
				_, err := plane.LongLived(t.Context(), account, "")
				g.Expect(err).To(MatchError(ErrTokenPending), "nobody fills Secrets here")
			} else {
				g.Expect(test.token(t.Context(), plane)).To(Succeed())
			}
			golden(t, name+".yaml", render(t, server.applied))

			g.Expect(plane.Wrote()).To(HaveLen(len(server.applied)))
			g.Expect(plane.Objects()).To(Equal(plane.Wrote()))
			for i, o := range plane.Objects() {
				sent := server.applied[i].body
				g.Expect(o).To(Equal(ccluster.RemoteObject{
					APIVersion: sent.GetAPIVersion(), Kind: sent.GetKind(), Namespace: sent.GetNamespace(), Name: sent.GetName(),
					UID: fmt.Sprintf("uid-%d", i+1),
				}))
			}
		})
	}
}

func render(t *testing.T, applied []request) []byte {
	t.Helper()
	out := &bytes.Buffer{}
	for i, r := range applied {
		if i > 0 {
			out.WriteString("---\n")
		}
		fmt.Fprintf(out, "# as %s, force: %t\n", r.manager, r.force)
		text, err := yaml.Marshal(r.body.Object)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		out.Write(text)
	}
	return out.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	g := NewWithT(t)
	path := filepath.Join("testdata", name)
	if *update {
		g.Expect(os.MkdirAll("testdata", 0o750)).To(Succeed())
		g.Expect(os.WriteFile(path, got, 0o600)).To(Succeed())
	}
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(got)).To(Equal(string(want)), "to accept it, run: go test ./internal/provision -update")
}
