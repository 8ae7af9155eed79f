// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package remote

import (
	"context"
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
)

// Version is what a server says it runs. Its text is safe to show.
type Version struct {
	Major, Minor int
	// GitVersion is the full version, such as "v1.37.2"; at most 64 characters.
	GitVersion string
}

// Distributions append build data to the version, and a plus sign to the minor.
var (
	gitVersion  = regexp.MustCompile(`^v([0-9]{1,4})\.([0-9]{1,4})\.[0-9]{1,6}([-+.~][0-9A-Za-z.+~_-]{0,48})?$`)
	versionPart = regexp.MustCompile(`^([0-9]{1,4}\+?)?$`)
	uid         = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)
)

// Version asks the server for its version. An answer that is not the version of
// a Kubernetes API server is NotAKubernetesAPI.
func (c *Conn) Version(ctx context.Context) (Version, error) {
	const op = "get version"
	var info version.Info
	if err := c.get(ctx, op, "/version", &info); err != nil {
		return Version{}, err
	}
	parts := gitVersion.FindStringSubmatch(info.GitVersion)
	if parts == nil || !versionPart.MatchString(info.Major) || !versionPart.MatchString(info.Minor) {
		return Version{}, failed(op, NotAKubernetesAPI)
	}
	major, errMajor := strconv.Atoi(parts[1])
	minor, errMinor := strconv.Atoi(parts[2])
	if errMajor != nil || errMinor != nil {
		return Version{}, failed(op, NotAKubernetesAPI)
	}
	return Version{Major: major, Minor: minor, GitVersion: info.GitVersion}, nil
}

// Identity is who the server takes the credential for. Its text is printable
// and bounded, but it is only what the server says.
type Identity struct {
	Username string
	UID      string
	Groups   []string
}

const (
	maxIdentityText = 512 // bytes
	maxGroups       = 1024
)

// WhoAmI asks the server who it takes the credential for.
func (c *Conn) WhoAmI(ctx context.Context) (Identity, error) {
	const op = "create selfsubjectreviews"
	review := &authenticationv1.SelfSubjectReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authenticationv1.SchemeGroupVersion.String(), Kind: "SelfSubjectReview"},
	}
	var answer authenticationv1.SelfSubjectReview
	if err := c.post(ctx, op, "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, &answer); err != nil {
		return Identity{}, err
	}
	user := answer.Status.UserInfo
	if user.Username == "" || !isPrintable(user.Username) || !isPrintable(user.UID) || len(user.Groups) > maxGroups {
		return Identity{}, failed(op, NotAKubernetesAPI)
	}
	for _, group := range user.Groups {
		if !isPrintable(group) {
			return Identity{}, failed(op, NotAKubernetesAPI)
		}
	}
	return Identity{Username: user.Username, UID: user.UID, Groups: user.Groups}, nil
}

// ClusterUID is the UID of the kube-system namespace, by which clusters are told
// apart. A server can claim any UID: it is reported and compared, never trusted.
func (c *Conn) ClusterUID(ctx context.Context) (types.UID, error) {
	const op = "get namespaces"
	var namespace corev1.Namespace
	if err := c.get(ctx, op, "/api/v1/namespaces/"+metav1.NamespaceSystem, &namespace); err != nil {
		return "", err
	}
	if namespace.Name != metav1.NamespaceSystem || !ValidUID(namespace.UID) {
		return "", failed(op, NotAKubernetesAPI)
	}
	return namespace.UID, nil
}

// ValidUID tells whether a UID that a plane gave is one to show or to compare:
// 1 to 64 letters, digits and dashes.
func ValidUID(text types.UID) bool { return uid.MatchString(string(text)) }

func isPrintable(text string) bool {
	if len(text) > maxIdentityText || !utf8.ValidString(text) {
		return false
	}
	for _, char := range text {
		if !unicode.IsPrint(char) {
			return false
		}
	}
	return true
}
