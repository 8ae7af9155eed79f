// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/ccluster-go/ccluster-go/internal/localplane"
)

const (
	issuer = "https://kubernetes.default.svc.cluster.local"

	robot       = "robot" // the service account of these specs
	robotSecret = "robot-token"
)

func withToken(p *localplane.Plane, token string) *kubernetes.Clientset {
	GinkgoHelper()
	return clientset(&rest.Config{
		Host:            p.Server(),
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAData: p.CAData()},
	})
}

func whoAmI(ctx context.Context, c kubernetes.Interface) (string, error) {
	review, err := c.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return review.Status.UserInfo.Username, nil
}

func createServiceAccount(ctx context.Context, c kubernetes.Interface, namespace string) {
	GinkgoHelper()
	_, err := c.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: robot}}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

func createTokenSecret(ctx context.Context, c kubernetes.Interface, namespace string) {
	GinkgoHelper()
	_, err := c.CoreV1().Secrets(namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: robotSecret, Annotations: map[string]string{corev1.ServiceAccountNameKey: robot}},
		Type:       corev1.SecretTypeServiceAccountToken,
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// tokenData polls for what the token controller wrote.
func tokenData(ctx context.Context, c kubernetes.Interface, namespace string) func() (map[string][]byte, error) {
	return func() (map[string][]byte, error) {
		secret, err := c.CoreV1().Secrets(namespace).Get(ctx, robotSecret, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return secret.Data, nil
	}
}

func requestToken(ctx context.Context, c kubernetes.Interface, namespace string, life time.Duration) authenticationv1.TokenRequestStatus {
	GinkgoHelper()
	seconds := int64(life.Seconds())
	request, err := c.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, robot, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	return request.Status
}

type claims struct {
	Iss, Sub string
	Iat, Exp int64
}

func claimsOf(token string) claims {
	GinkgoHelper()
	parts := strings.Split(token, ".")
	Expect(parts).To(HaveLen(3))
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	Expect(err).NotTo(HaveOccurred())
	var c claims
	Expect(json.Unmarshal(body, &c)).To(Succeed())
	return c
}

var _ = Describe("service accounts", func() {
	It("get a default one in each namespace", func(ctx SpecContext) {
		c, ns := clientset(full.Config()), namespace()
		Eventually(func() error {
			_, err := c.CoreV1().ServiceAccounts(ns).Get(ctx, "default", metav1.GetOptions{})
			return err
		}).Should(Succeed())
		Eventually(func() (map[string]string, error) {
			config, err := c.CoreV1().ConfigMaps(ns).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return config.Data, nil
		}).Should(HaveKeyWithValue("ca.crt", string(full.CAData())))
	})

	It("get a long-lived token in a Secret, until they are deleted", func(ctx SpecContext) {
		c, ns := clientset(full.Config()), namespace()
		createServiceAccount(ctx, c, ns)
		createTokenSecret(ctx, c, ns)
		data := tokenData(ctx, c, ns)
		Eventually(data).Should(HaveKey("token"))
		filled, err := data()
		Expect(err).NotTo(HaveOccurred())
		Expect(filled).To(HaveKeyWithValue("ca.crt", full.CAData()))
		Expect(filled).To(HaveKeyWithValue("namespace", []byte(ns)))

		client := withToken(full, string(filled["token"]))
		Expect(whoAmI(ctx, client)).To(Equal("system:serviceaccount:" + ns + ":robot"))

		Expect(c.CoreV1().ServiceAccounts(ns).Delete(ctx, robot, metav1.DeleteOptions{})).To(Succeed())
		Eventually(func() error {
			_, err := whoAmI(ctx, client)
			return err
		}).Should(Satisfy(apierrors.IsUnauthorized))
		Eventually(func() error {
			_, err := data()
			return err
		}).Should(Satisfy(apierrors.IsNotFound))
	})

	It("get a bound token on request", func(ctx SpecContext) {
		c, ns := clientset(full.Config()), namespace()
		createServiceAccount(ctx, c, ns)
		status := requestToken(ctx, c, ns, 10*time.Minute)
		Expect(whoAmI(ctx, withToken(full, status.Token))).To(Equal("system:serviceaccount:" + ns + ":robot"))
		token := claimsOf(status.Token)
		Expect(token.Iss).To(Equal(issuer))
		Expect(token.Sub).To(Equal("system:serviceaccount:" + ns + ":robot"))
		Expect(token.Exp - token.Iat).To(BeEquivalentTo(600))
		Expect(status.ExpirationTimestamp.Unix()).To(Equal(token.Exp))
	})

	It("get a token of the length that the API server's flags allow", func(ctx SpecContext) {
		c := clientset(bare.Config())
		createServiceAccount(ctx, c, metav1.NamespaceDefault)
		status := requestToken(ctx, c, metav1.NamespaceDefault, 2*time.Hour)
		token := claimsOf(status.Token)
		Expect(time.Duration(token.Exp-token.Iat) * time.Second).To(Equal(time.Hour))
	})
})
