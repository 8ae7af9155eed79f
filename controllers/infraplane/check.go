// Copyright The ccluster-go Authors.
// SPDX-License-Identifier: Apache-2.0

package infraplane

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ccluster-go/ccluster-go/api/v1alpha1"
	"github.com/ccluster-go/ccluster-go/internal/kubeconfig"
	"github.com/ccluster-go/ccluster-go/internal/remote"
)

// anonymous is who a server takes everybody for whose credential says nothing to it.
const anonymous = "system:anonymous"

// check decides whether the endpoint accepts the credential. A registration checks its plane over
// the same connection, a little more often: what it has been told counts, and nobody asks twice.
func (r *Reconciler) check(ctx context.Context, s *scope) error {
	conn, err := r.pool.Connect(s.key, s.endpoint, kubeconfig.Credential{BearerToken: s.cluster.Config.BearerToken})
	if err != nil {
		return s.no(onPlane(s.server, err))
	}
	now, known := r.clock.Now(), s.record
	if known.conn == conn {
		if known.outcome == nil && now.Before(known.nextCheck) {
			s.available()
			return nil
		}
		if known.outcome != nil && now.Before(known.retryAt) {
			return s.no(known.outcome)
		}
	}
	if answers, last := conn.Answers(); known.conn != conn || answers == known.answers || last != remote.None {
		if err := ask(ctx, conn); err != nil {
			if remote.Classify(err).Kind == remote.ConnectionClosed {
				// Another credential has just taken this one's place.
				return &problem{after: time.Second}
			}
			known.conn, known.outcome = conn, onPlane(s.server, err)
			return s.no(known.outcome)
		}
	}
	known.conn, known.outcome = conn, nil
	known.answers, _ = conn.Answers()
	// A registration's next check comes before ours.
	known.nextCheck = now.Add(r.jitter(r.options.CheckPeriod * 5 / 4))
	s.available()
	return nil
}

func ask(ctx context.Context, conn *remote.Conn) error {
	who, err := conn.WhoAmI(ctx)
	if err == nil && who.Username == anonymous {
		return &remote.Error{Op: "who am I", Failure: remote.Failure{Kind: remote.Unauthorized}}
	}
	return err
}

func (s *scope) available() {
	s.conds.Set(v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonAvailable, "")
}
