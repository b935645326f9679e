package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
)

// usable is a policy whose approvals are valid for an hour and used once.
func usable() policy.Definition {
	return but(policyOf(stage("check", "ana")), func(d *policy.Definition) {
		d.Settings.SingleUse, d.Settings.Validity = true, &policy.Validity{ValidFor: "PT1H"}
	})
}

// approved returns an approval under the policy that has reached a standing.
func (s *service) approved(key string, standing wf.Standing) wf.Request {
	s.t.Helper()
	r := s.create(key)
	must(s.t, s.approve(taskOf(s.t, r, "ana"), "ana"))
	var err error
	switch standing {
	case wf.StandingLapsed:
		s.advance(time.Hour)
		_, err = s.Timers.LapseApprovals(s.t.Context(), s.now(), 10)
	case wf.StandingRevoked:
		_, err = s.Requests.RevokeRequest(s.t.Context(), rita, r.ID, "stolen", "", nil)
	case wf.StandingConsumed:
		_, err = s.Requests.ConsumeRequest(s.t.Context(), rita, r.ID, wf.Consumption{ContextHash: r.ContextHash, Consumer: "run 17"}, nil)
	}
	must(s.t, err)
	found := s.read(r.ID)
	same(s.t, "standing", found.Standing, standing)
	return found
}

func TestVerificationFindsAForgedStanding(t *testing.T) {
	both, document := []string{"document", "request"}, []string{"document"}
	forged := []struct {
		of   wf.Standing
		set  string
		want []string
	}{
		{wf.StandingInForce, "standing = 'consumed', standing_ms = 0", both[1:]},
		{wf.StandingInForce, "valid_until_ms = valid_until_ms + 1", both[1:]},
		{wf.StandingInForce, "valid_until_ms = 0, standing_ms = 0", both[1:]},
		{wf.StandingInForce, edited(`"valid_until":"2026`, `"valid_until":"2027`), both},
		{wf.StandingConsumed, "standing = ''", both[1:]},
		{wf.StandingConsumed, edited(`"standing":"consumed"`, `"standing":"revoked"`) + ", standing = 'revoked'", document},
		{wf.StandingConsumed, edited(`"end_reason":"run 17"`, `"end_reason":"run 18"`), document},
		{wf.StandingRevoked, "standing = ''", both[1:]},
		{wf.StandingLapsed, edited(`"standing":"lapsed"`, `"standing":"in_force"`), both},
	}
	gone(t, func(t *testing.T, s *service) {
		key := s.publish(usable())
		var requests []wf.Request
		for _, tt := range forged {
			requests = append(requests, s.approved(key, tt.of))
		}
		open := s.create(key)
		s.holds()
		wftest.Disarm(t, s.db)
		s.exec("UPDATE request SET standing = 'consumed' WHERE id = ?", open.ID)
		if found := s.breaks(open.ID); !slices.Contains(found, "request") {
			t.Errorf("a standing of an open request: verification finds %v", found)
		}
		for i, tt := range forged {
			s.exec("UPDATE request SET "+tt.set+" WHERE id = ?", requests[i].ID)
			equal(t, fmt.Sprintf("%s, %s", tt.of, tt.set), s.breaks(requests[i].ID), tt.want)
		}
		all, err := s.Audit.VerifyAll(t.Context())
		must(t, err)
		if len(all.Bad) != len(forged)+1 {
			t.Errorf("verification of everything finds %d chains: %+v", len(all.Bad), all.Bad)
		}
	})
}

// A final standing, its end and the end of the validity never change. Standings are set once, on approvals alone.
func TestTheDatabaseKeepsTheEndOfAnApproval(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(usable())
		open := s.create(key)
		refused := func(id string, statements ...string) {
			t.Helper()
			for _, set := range statements {
				err := s.db.Read(t.Context()).Exec("UPDATE request SET "+set+" WHERE id = ?", id).Error
				if err == nil || !strings.Contains(err.Error(), "the end of an approval never changes") {
					t.Errorf("%s: %v", set, err)
				}
			}
		}
		refused(open.ID, "standing = 'consumed'")
		for _, standing := range []wf.Standing{wf.StandingConsumed, wf.StandingRevoked, wf.StandingLapsed} {
			r := s.approved(key, standing)
			other := map[bool]string{true: "revoked", false: "consumed"}[standing == wf.StandingConsumed]
			refused(r.ID, "standing = ''", "standing = '"+other+"'", "valid_until_ms = valid_until_ms + 1", "valid_until_ms = 0")
			same(t, "it afterwards", s.read(r.ID), r)
		}
		refused(s.approved(key, wf.StandingInForce).ID, "valid_until_ms = valid_until_ms + 1", "valid_until_ms = 0")
	})
}
