// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// go test ./config -update writes the role files that follow from generated ones.
var update = flag.Bool("update", false, "write the role files that are derived from rbac/role.yaml and from markers")

const (
	managerRole    = "ccluster-manager-role"
	namespacedRole = "namespaced/access/role.yaml"
	aloneRole      = "registration-only/role_rules.yaml"
)

// right is one verb on one resource.
type right struct{ group, resource, name, verb string }

// rights takes rules apart, so that two ways to write the same thing are equal.
func rights(rules []rbacv1.PolicyRule) []right {
	var found []right
	for _, rule := range rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						found = append(found, right{group, resource, name, verb})
					}
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b right) int {
		return slices.Compare([]string{a.group, a.resource, a.name, a.verb}, []string{b.group, b.resource, b.name, b.verb})
	})
	return slices.Compact(found)
}

// generatedRole is the one that controller-gen wrote.
func generatedRole(t *testing.T) *rbacv1.ClusterRole {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile("rbac/role.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	role := &rbacv1.ClusterRole{}
	g.Expect(yaml.UnmarshalStrict(content, role)).To(Succeed())
	g.Expect(role.Rules).NotTo(BeEmpty())
	return role
}

// namespacedRules are the rules that a Role can give.
func namespacedRules(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	return slices.DeleteFunc(slices.Clone(rules), func(r rbacv1.PolicyRule) bool {
		return slices.Equal(r.Resources, []string{"namespaces"})
	})
}

var rbacMarker = regexp.MustCompile(`(?m)^// \+kubebuilder:rbac:(.+)$`)

// markedRules reads the RBAC markers of a folder's Go files.
func markedRules(t *testing.T, dirs ...string) []rbacv1.PolicyRule {
	t.Helper()
	g := NewWithT(t)
	var rules []rbacv1.PolicyRule
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(files).NotTo(BeEmpty(), dir)
		for _, file := range files {
			content, err := os.ReadFile(file)
			g.Expect(err).NotTo(HaveOccurred())
			for _, marker := range rbacMarker.FindAllStringSubmatch(string(content), -1) {
				rules = append(rules, parseMarker(t, marker[1]))
			}
		}
	}
	return rules
}

func parseMarker(t *testing.T, text string) rbacv1.PolicyRule {
	t.Helper()
	var rule rbacv1.PolicyRule
	for argument := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(argument, "=")
		values := strings.Split(strings.Trim(value, `"`), ";")
		switch key {
		case "groups":
			rule.APIGroups = values
		case "resources":
			rule.Resources = values
		case "resourceNames":
			rule.ResourceNames = values
		case "verbs":
			rule.Verbs = values
		default:
			t.Fatalf("RBAC marker %q: this test does not know %q", text, key)
		}
	}
	slices.Sort(rule.Verbs)
	return rule
}

// writeRole writes a role file that is derived from others.
func writeRole(t *testing.T, path, comment string, role any) {
	t.Helper()
	g := NewWithT(t)
	text, err := yaml.Marshal(role)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(path, append([]byte(comment), text...), 0o644)).To(Succeed()) //nolint:gosec // a source file
}

func TestDefaultHasTheGeneratedRole(t *testing.T) {
	g := NewWithT(t)
	want := generatedRole(t)
	g.Expect(want.Name).To(Equal(managerRole))
	got := roleOfManager(t, render(t, "default"))
	g.Expect(got.Rules).To(Equal(want.Rules))
	g.Expect(rights(got.Rules)).To(Equal(rights(markedRules(t, markedFolders(t)...))),
		"rbac/role.yaml is not what the markers say: run make generate")
}

func roleOfManager(t *testing.T, objects rendered) *rbacv1.ClusterRole {
	t.Helper()
	return one[*rbacv1.ClusterRole](t, objects, managerRole)
}

// markedFolders are all below controllers and cmd, as hack/generate.sh has them.
func markedFolders(t *testing.T) []string {
	t.Helper()
	g := NewWithT(t)
	var dirs []string
	for _, pattern := range []string{"../controllers/*/*.go", "../cmd/*/*.go"} {
		files, err := filepath.Glob(pattern)
		g.Expect(err).NotTo(HaveOccurred())
		for _, file := range files {
			dirs = append(dirs, filepath.Dir(file))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func TestNamespacedRoleIsTheGeneratedOne(t *testing.T) {
	g := NewWithT(t)
	want := namespacedRules(generatedRole(t).Rules)
	if *update {
		writeRole(t, namespacedRole, "# What rbac/role.yaml has of namespaced kinds: go test ./config -update writes this file.\n", &roleFile{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			Metadata: metadata{Name: "ccluster-manager"}, Rules: want,
		})
		delete(built, "namespaced")
	}
	role := one[*rbacv1.Role](t, render(t, "namespaced"), "ccluster-manager")
	g.Expect(rights(role.Rules)).To(Equal(rights(want)), "run go test ./config -update")
	g.Expect(role.Namespace).To(Equal("tenant-a"))
}

func TestRegistrationOnlyHasTheRightsOfItsControllerAlone(t *testing.T) {
	g := NewWithT(t)
	want := markedRules(t, "../controllers/registration")
	if *update {
		writeRole(t, aloneRole, "# The markers of controllers/registration: go test ./config -update writes this file.\n", &roleFile{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
			Metadata: metadata{Name: managerRole}, Rules: want,
		})
		delete(built, "registration-only")
	}
	got := rights(roleOfManager(t, render(t, "registration-only")).Rules)
	g.Expect(got).To(Equal(rights(want)), "run go test ./config -update")
	g.Expect(rights(generatedRole(t).Rules)).To(ContainElements(got))
}

// roleFile is a role without the empty fields that the API types write.
type roleFile struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metadata            `json:"metadata"`
	Rules           []rbacv1.PolicyRule `json:"rules"`
}

type metadata struct {
	Name string `json:"name"`
}
