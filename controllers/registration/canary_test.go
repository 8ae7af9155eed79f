// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
	. "github.com/onsi/gomega"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/ccluster-go/ccluster-go/internal/argocd"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/pkg/ccluster"
)

// forms are the ways in which a token could be seen in a text.
func forms(secret string) []string {
	return []string{
		secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprintf("% x", secret), fmt.Sprint([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

// No token is in anything that is formatted or logged, whatever is passed by mistake.
func TestNoTokenIsShown(t *testing.T) {
	r, s := issued(t)
	s.stored = r.parseStored(s, credentialsOf(t, r, s))
	s.conn, s.admin = newConn(t), true
	NewWithT(t).Expect(r.openPlane(s)).To(Succeed())
	r.proven(s)
	s.record.session = &session{conn: s.conn, plane: s.plane, endpoint: s.endpoint}
	NewWithT(t).Expect(s.stored.token.Value == canary && s.record.proven.BearerToken == canary).To(BeTrue())
	credential := kubeconfig.Credential{
		BearerToken: canary, ClientKeyData: []byte(canary), ClientCertificateData: []byte(canary), Username: canary, Password: canary,
	}
	cluster := argocd.Cluster{Server: edgeServer, Config: argocd.ClusterConfig{BearerToken: canary}}

	for name, value := range map[string]any{
		"stored": s.stored, "stored, by value": *s.stored, "scope": s, "scope, by value": *s,
		"record": s.record, "record, by value": *s.record, "session": s.record.session, "session, by value": *s.record.session,
		"memory": r.memory, "reconciler": r, "reconciler, by value": *r, "connection": s.conn, "pool": r.pool,
		"plane": s.plane, "plane, by value": *s.plane,
		"token": s.token, "infra plane": s.infraPlane(), "proven": s.record.proven, "target": kubeconfig.Target{Credential: credential},
		"credential": credential, "cluster": cluster, "cluster config": cluster.Config,
		"tokens": []provision.Token{s.token}, "infra planes": map[string]ccluster.InfraPlane{"k": s.infraPlane()},
		"an error": fmt.Errorf("step: %w", onPlane(errors.New(canary))), "a problem": onControlPlane(errors.New("x")),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
				expectNothing(t, fmt.Sprintf(verb, value), verb)
			}
			for encoding, text := range logged(value) {
				g.Expect(text).NotTo(BeEmpty())
				expectNothing(t, text, encoding)
			}
			if text, err := json.Marshal(value); err == nil {
				expectNothing(t, string(text), "JSON")
			}
		})
	}
}

func expectNothing(t *testing.T, text, how string) {
	t.Helper()
	for _, form := range forms(canary) {
		NewWithT(t).Expect(text).NotTo(ContainSubstring(form), "%s", how)
	}
}

// A type that is given a field with a token has to hide itself, and to be in the test above.
func TestTypesThatHoldTokensHideThem(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob("*.go")
	g.Expect(err).NotTo(HaveOccurred())
	holders, hidden := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		g.Expect(err).NotTo(HaveOccurred())
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && holdsToken(s) {
					holders[n.Name.Name] = true
				}
			case *ast.FuncDecl:
				if n.Recv != nil && n.Name.Name == "Format" {
					hidden[types.ExprString(n.Recv.List[0].Type)] = true
				}
			}
			return true
		})
	}
	g.Expect(holders).To(Equal(map[string]bool{"stored": true, "scope": true, "record": true, "session": true}))
	g.Expect(hidden).To(Equal(holders), "by value, which covers pointers")
}

func holdsToken(s *ast.StructType) bool {
	for _, field := range s.Fields.List {
		of := types.ExprString(field.Type)
		for _, secret := range []string{
			"provision.Token", "ccluster.InfraPlane", "kubeconfig.Credential", "kubeconfig.Target",
			"argocd.Cluster", "remote.Conn", "*stored", "*scope", "*session",
		} {
			if strings.Contains(of, secret) {
				return true
			}
		}
	}
	return false
}

// logged is a value as the manager's logger writes it.
func logged(value any) map[string]string {
	texts := map[string]string{}
	for name, encoder := range map[string]zapcore.Encoder{
		"JSON log":    zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()),
		"console log": zapcore.NewConsoleEncoder(zap.NewDevelopmentEncoderConfig()),
	} {
		out := &bytes.Buffer{}
		log := zapr.NewLogger(zap.New(zapcore.NewCore(encoder, zapcore.AddSync(out), zap.DebugLevel)))
		log.Info("Canary", "value", value)
		log.WithValues("value", value).Error(errors.New("x"), "Canary")
		texts[name] = out.String()
	}
	return texts
}
