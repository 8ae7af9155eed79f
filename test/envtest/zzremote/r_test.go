package zz

import (
	"fmt"
	"net/netip"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/localplane"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

func TestReal(t *testing.T) {
	p, err := localplane.Start(t.Context(), localplane.Options{Assets: "/work/main/bin/controlplane"})
	if err != nil { t.Fatal(err) }
	defer p.Stop(t.Context())
	cfg := p.Config()
	ep := kubeconfig.Endpoint{Server: cfg.Host, CAData: cfg.CAData}
	cred := kubeconfig.Credential{BearerToken: cfg.BearerToken, ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData}
	pool, err := remote.NewPool(remote.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, remote.WithObserver(func(op string, s float64, k remote.Kind) { fmt.Printf("  obs %s %.4f %q\n", op, s, k) }))
	if err != nil { t.Fatal(err) }
	defer pool.Close()
	key := types.NamespacedName{Namespace: "a", Name: "b"}
	c, err := pool.Connect(key, ep, cred)
	if err != nil { t.Fatal(err) }
	ctx := t.Context()
	show := func(name string, v any, err error) { fmt.Printf("%-22s %v | err=%v %+v\n", name, v, err, remote.Classify(err)) }
	v, err := c.Version(ctx); show("version", v, err)
	w, err := c.WhoAmI(ctx); show("whoami", w, err)
	u, err := c.ClusterUID(ctx); show("uid", u, err)
	k := c.Client()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}}
	show("create ns", "", k.Create(ctx, ns))
	show("create ns again", "", k.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}}))
	sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "sa"}}
	show("create sa", "", k.Create(ctx, sa))
	show("sa in no ns", "", k.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "nope", Name: "sa"}}))
	tok, err := c.MintToken(ctx, types.NamespacedName{Namespace: "x", Name: "sa"}, authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](600)})
	show("mint", tok.ExpiresAt, err)
	_, err = c.MintToken(ctx, types.NamespacedName{Namespace: "x", Name: "none"}, authenticationv1.TokenRequestSpec{}); show("mint none", "", err)
	_, err = c.MintToken(ctx, types.NamespacedName{Namespace: "x", Name: "sa"}, authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](5)}); show("mint short", "", err)
	f, err := pool.Fresh(key, ep, kubeconfig.Credential{BearerToken: tok.Value})
	w, err = f.WhoAmI(ctx); show("whoami sa", w, err)
	fk := f.Client()
	show("forbidden get", "", fk.Get(ctx, client.ObjectKey{Namespace: "x", Name: "s"}, &corev1.Secret{}))
	ssar := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"}}}
	show("ssar", ssar.Status, fk.Create(ctx, ssar))
	// escalation
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "limited"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"rbac.authorization.k8s.io"}, Resources: []string{"*"}, Verbs: []string{"create", "get"}}}}
	show("role", "", k.Create(ctx, role))
	show("binding", "", k.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "limited"}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "limited"}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "x", Name: "sa"}}}))
	for i := 0; i < 100; i++ {
		err = fk.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "esc"}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"}, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "x", Name: "sa"}}})
		if remote.Classify(err).Kind != remote.Forbidden { break }
	}
	show("bind escalation", "", err)
	show("role escalation", "", fk.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "esc"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}}}))
	// quota
	kube := kubernetes.NewForConfigOrDie(cfg)
	_ = resource.MustParse
	_, err = kube.CoreV1().ResourceQuotas("x").Create(ctx, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/secrets": resource.MustParse("0"), "secrets": resource.MustParse("0")}}}, metav1.CreateOptions{})
	for i := 0; i < 100; i++ {
		err = k.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "x", GenerateName: "q"}})
		if err != nil { break }
	}
	show("quota secret", "", err)
	// conflict
	show("apply a", "", k.Apply(ctx, corev1ac.ConfigMap("cm", "x").WithData(map[string]string{"a": "1"}), client.FieldOwner("one")))
	err = k.Apply(ctx, corev1ac.ConfigMap("cm", "x").WithData(map[string]string{"a": "2"}), client.FieldOwner("two"))
	show("apply conflict", "", err)
	fmt.Printf("   %+v\n", err)
	err = k.Apply(ctx, corev1ac.ConfigMap("cm", "x").WithUID("wrong").WithData(map[string]string{"a": "1"}), client.FieldOwner("one"))
	show("apply uid", "", err)
	show("invalid", "", k.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "Bad_Name"}}))
	pre := client.Preconditions{UID: ptr.To(types.UID("zzz"))}
	show("delete precondition", "", k.Delete(ctx, sa, pre))
	l := &metav1.PartialObjectMetadataList{}
	l.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ServiceAccountList"))
	show("metadata list", "", k.List(ctx, l)); fmt.Println("   items", len(l.Items))
	show("delete sa", "", k.Delete(ctx, sa))
	show("deleteallof", "", k.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace("x")))
	show("delete ns", "", k.Delete(ctx, ns))
	show("in terminating", "", k.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "sb"}}))
	bad, _ := pool.Fresh(key, ep, kubeconfig.Credential{BearerToken: "nonsense"})
	_, err = bad.Version(ctx); show("bad token version", "", err)
	_, err = bad.ClusterUID(ctx); show("bad token uid", "", err)
}
