package engine_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// sessions begins sessions, and tells which of them have not ended.
type sessions struct {
	*service
	engine.SessionTimes
}

func (s sessions) begin(secret, who, issuerID string) {
	s.t.Helper()
	must(s.t, s.BeginSession(s.t.Context(), secret, wf.Actor{User: wf.User{ID: who}, Kind: wf.ActorUser}, "subject-of-"+who, issuerID, engine.Tokens{Access: "token-of-" + who}, s.SessionTimes))
}

func (s sessions) open(secrets ...string) (open []string) {
	s.t.Helper()
	for _, secret := range secrets {
		_, found, err := s.Session(s.t.Context(), secret, s.SessionTimes)
		must(s.t, err)
		if found {
			open = append(open, secret)
		}
	}
	return open
}

// A session ends when it was not used for so long, and in the end whatever its person does.
func TestASessionEndsByItself(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := sessions{s, engine.SessionTimes{Idle: time.Hour, Longest: 3 * time.Hour}}
		in.begin("used", "ana", "")
		in.begin("left", "bo", "")
		s.advance(59 * time.Minute)
		equal(t, "open after 59 minutes", in.open("used"), []string{"used"})
		s.advance(time.Minute)
		equal(t, "open after an hour", in.open("used", "left"), []string{"used"})
		for range 2 { // 119 and 178 minutes
			s.advance(59 * time.Minute)
			equal(t, "open while it is used", in.open("used"), []string{"used"})
		}
		n, err := s.PurgeSessions(t.Context(), in.SessionTimes, 10)
		must(t, err)
		equal(t, "deleted because nobody used them", []int{n}, []int{1})
		s.advance(2 * time.Minute)
		equal(t, "open after three hours", in.open("used"), nil)
		in.begin("new", "ana", "")
		n, err = s.PurgeSessions(t.Context(), in.SessionTimes, 10)
		must(t, err)
		equal(t, "deleted because their time is over", []int{n}, []int{1})
		equal(t, "open in the end", in.open("used", "left", "new"), []string{"new"})
	})
}

// The issuer ends one session of a person by its name, or all of them, and nobody else's.
func TestTheIssuerEndsSessions(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := sessions{s, engine.SessionTimes{Idle: time.Hour, Longest: time.Hour}}
		in.begin("here", "ana", "one")
		in.begin("there", "ana", "two")
		in.begin("other", "bo", "three")
		all := []string{"here", "there", "other"}
		must(t, s.EndSessions(t.Context(), "subject-of-bo", "one"))
		equal(t, "open, after one that is not of this person", in.open(all...), all)
		must(t, s.EndSessions(t.Context(), "subject-of-ana", "one"))
		equal(t, "open, after one of two", in.open(all...), []string{"there", "other"})
		must(t, s.EndSessions(t.Context(), "subject-of-ana", ""))
		equal(t, "open, after all of a person", in.open(all...), []string{"other"})
		must(t, s.EndSessions(t.Context(), "", "three"))
		equal(t, "open, after one that names nobody", in.open(all...), nil)
	})
}
