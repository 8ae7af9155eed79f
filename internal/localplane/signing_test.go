// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package localplane

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// signingKeys reads both halves of the service account key in a work folder.
func signingKeys(t *testing.T, dir *workDir) (private *ecdsa.PrivateKey, public *ecdsa.PublicKey) {
	t.Helper()
	g := NewWithT(t)
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir.path, name))
		g.Expect(err).NotTo(HaveOccurred())
		block, rest := pem.Decode(data)
		g.Expect(block).NotTo(BeNil())
		g.Expect(rest).To(BeEmpty())
		return block.Bytes
	}
	key, err := x509.ParsePKCS8PrivateKey(read(signingKeyFile))
	g.Expect(err).NotTo(HaveOccurred())
	private, ok := key.(*ecdsa.PrivateKey)
	g.Expect(ok).To(BeTrue())
	other, err := x509.ParsePKIXPublicKey(read(signingPubFile))
	g.Expect(err).NotTo(HaveOccurred())
	public, ok = other.(*ecdsa.PublicKey)
	g.Expect(ok).To(BeTrue())
	return private, public
}

func TestReplaceSigningKey(t *testing.T) {
	g := NewWithT(t)
	dir, err := newWorkDir(t.TempDir(), "infra")
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(dir.remove()).To(Succeed()) })
	p := &Plane{dir: dir}

	g.Expect(p.replaceSigningKey()).To(Succeed())
	first, verifying := signingKeys(t, dir)
	g.Expect(first.PublicKey.Equal(verifying)).To(BeTrue(), "the halves belong together")

	g.Expect(p.replaceSigningKey()).To(Succeed())
	second, verifying := signingKeys(t, dir)
	g.Expect(second.PublicKey.Equal(verifying)).To(BeTrue())
	g.Expect(second.Equal(first)).To(BeFalse())
}

func TestRotateServiceAccountKeyOfAStoppedPlane(t *testing.T) {
	g := NewWithT(t)
	dir, err := newWorkDir(t.TempDir(), "infra")
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(dir.remove()).To(Succeed()) })
	p := &Plane{dir: dir, opts: Options{Name: "infra"}, stopped: true}
	g.Expect(p.RotateServiceAccountKey(t.Context())).To(MatchError(ErrStopped))
}
