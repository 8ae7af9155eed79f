// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/provision"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// session is a plane that has been built up to the token, kept while the plane takes
// its time to issue that, so that waiting costs one read and not the whole build.
type session struct {
	generation int64
	expires    time.Time
	conn       *remote.Conn
	// admin tells that conn is the bootstrap's, which is closed with the session.
	admin    bool
	endpoint kubeconfig.Endpoint
	plane    *provision.Plane
	account  types.UID
	report   report
	inputs   inputs
	// found are the conditions of the pass that got this far.
	found []metav1.Condition
}

// sessionLife bounds how long an admin's credential stays in memory.
const sessionLife = 30 * time.Second

func (s *session) close() {
	if s.admin && s.conn != nil {
		s.conn.Close()
	}
}
