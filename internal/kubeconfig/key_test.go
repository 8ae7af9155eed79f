// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeconfig

import (
	"strings"
	"testing"
)

func TestSelectKey(t *testing.T) {
	for _, tc := range []struct {
		name   string
		keys   []string
		wanted string
		want   string
		reason Reason
		says   string
	}{
		{name: "value", keys: []string{"value"}, want: "value"},
		{name: "kubeconfig", keys: []string{"kubeconfig", "other"}, want: "kubeconfig"},
		{name: "config", keys: []string{"a", "config"}, want: "config"},
		{name: "admin.conf", keys: []string{"admin.conf"}, want: "admin.conf"},
		{name: "a key listed twice", keys: []string{"value", "value"}, want: "value"},
		{name: "wanted", keys: []string{"value", "special"}, wanted: "special", want: "special"},
		{name: "wanted among several", keys: []string{"value", "config"}, wanted: "config", want: "config"},
		{name: "wanted is missing", keys: []string{"value"}, wanted: canaryWord, reason: KeyNotFound, says: "correct it"},
		{name: "none", keys: []string{"token", canaryWord}, reason: KeyNotFound, says: "value, kubeconfig, config, admin.conf"},
		{name: "no keys", reason: KeyNotFound, says: "must be set"},
		{name: "case matters", keys: []string{"Value"}, reason: KeyNotFound, says: "must be set"},
		{name: "several", keys: []string{"config", canaryWord, "value"}, reason: KeyAmbiguous, says: "has the keys value, config"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := SelectKey(tc.keys, tc.wanted)
			if tc.reason == "" {
				if err != nil || got != tc.want {
					t.Fatalf("got %q, %v; want %q", got, err, tc.want)
				}
				return
			}
			rejection := asRejection(t, err)
			if got != "" || rejection.Reason != tc.reason || rejection.Field != "bootstrap.kubeconfigSecretRef.key" {
				t.Errorf("got %q and %s at %q", got, rejection.Reason, rejection.Field)
			}
			if !strings.Contains(rejection.Message, tc.says) || leak(rejection.Message, canaryWord) != "" {
				t.Errorf("message: %s", rejection.Message)
			}
		})
	}
}
