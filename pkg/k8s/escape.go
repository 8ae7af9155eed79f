// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package k8s

import "net/url"

// QueryEscape escapes a text so that it can be a value in a URL's query.
func QueryEscape(text string) string { return url.QueryEscape(text) }
