package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// sessions starts sessions and returns the open ones.
type sessions struct {
	*service
	engine.SessionTimes
}

func (s sessions) begin(secret, who, issuerID string) {
	s.t.Helper()
	must(s.t, s.BeginSession(s.t.Context(), secret, engine.NewSession{
		Person: identity.Actor{User: identity.User{ID: who}, Kind: identity.ActorUser}, Subject: "subject-of-" + who, IssuerID: issuerID, Tokens: engine.Tokens{Access: "token-of-" + who},
	}, s.SessionTimes))
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

// A logout token ends one session of a subject by its sid, or all of them, and no other.
func TestTheIssuerEndsSessions(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := sessions{s, engine.SessionTimes{Idle: time.Hour, Longest: time.Hour}}
		in.begin("here", "ana", "one")
		in.begin("there", "ana", "two")
		in.begin("other", "bo", "three")
		logOut := func(jti, subject, sid string) {
			t.Helper()
			must(t, s.LogOut(t.Context(), engine.Logout{JTI: jti, Subject: subject, Session: sid, IssuedAt: s.now()}))
		}
		all := []string{"here", "there", "other"}
		logOut("1", "subject-of-bo", "one")
		equal(t, "open, after a sid of another subject", in.open(all...), all)
		logOut("2", "subject-of-ana", "one")
		equal(t, "open, after one of two", in.open(all...), []string{"there", "other"})
		logOut("3", "subject-of-ana", "")
		equal(t, "open, after all of a subject", in.open(all...), []string{"other"})
		logOut("4", "", "three")
		equal(t, "open, after a sid without a subject", in.open(all...), nil)
	})
}

func TestALogoutTokenIsUsedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := sessions{s, engine.SessionTimes{Idle: time.Hour, Longest: time.Hour}}
		logout := engine.Logout{JTI: "1", Subject: "subject-of-ana", IssuedAt: s.now()}
		must(t, s.LogOut(t.Context(), logout))
		in.begin("again", "ana", "")
		if err := s.LogOut(t.Context(), logout); !errors.Is(err, engine.ErrLogoutUsed) {
			t.Errorf("the second use: %v", err)
		}
		equal(t, "open, after the second use", in.open("again"), []string{"again"})
	})
}

// Access tokens of a session that the issuer has ended are refused for as long as the API
// would accept them, also by a process that did not receive the logout.
func TestALogoutEndsTheAccessTokensOfItsSession(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		before, at, after := s.now().Add(-time.Minute), s.now(), s.now().Add(time.Second)
		must(t, s.LogOut(t.Context(), engine.Logout{JTI: "1", Subject: "ana", Session: "one", IssuedAt: at}))
		must(t, s.LogOut(t.Context(), engine.Logout{JTI: "2", Subject: "bo", IssuedAt: at}))
		other := engine.New(s.Options)
		must(t, other.LoadLogouts(t.Context()))
		for _, process := range []*engine.Engine{s.Engine, other} {
			for name, tt := range map[string]struct {
				subject, sid string
				issued       time.Time
				want         bool
			}{
				"a token of the session":             {"ana", "one", before, true},
				"a token of another session":         {"ana", "two", before, false},
				"a token without a session":          {"ana", "", before, false},
				"an older token of the subject":      {"bo", "", before, true},
				"a token of the same second":         {"bo", "", at, true},
				"an older token of any session":      {"bo", "three", before, true},
				"a token of a later sign-in":         {"bo", "four", after, false},
				"a token of somebody else":           {"cy", "", before, false},
				"a token whose subject is a session": {"one", "", before, false},
			} {
				if got := process.LoggedOut(tt.subject, tt.sid, tt.issued); got != tt.want {
					t.Errorf("%s: %t, want %t", name, got, tt.want)
				}
			}
		}
		s.advance(s.TokenLifetime)
		n, err := s.PurgeLogouts(t.Context(), 10)
		must(t, err)
		equal(t, "purged", []int{n}, []int{2})
		must(t, other.LoadLogouts(t.Context()))
		if other.LoggedOut("ana", "one", before) {
			t.Error("a logout outlives the tokens")
		}
	})
}

// A logout that is committed after a later one has been loaded takes effect.
func TestALateCommitOfALogoutIsLoaded(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		other := engine.New(s.Options)
		issued := s.now().Add(-time.Hour)
		s.advance(30 * time.Second)
		must(t, s.LogOut(t.Context(), engine.Logout{JTI: "later", Subject: "bo", IssuedAt: s.now()}))
		must(t, other.LoadLogouts(t.Context()))
		s.advance(-30 * time.Second)
		must(t, s.LogOut(t.Context(), engine.Logout{JTI: "earlier", Subject: "ana", IssuedAt: s.now()}))
		s.advance(30 * time.Second)
		must(t, other.LoadLogouts(t.Context()))
		for _, subject := range []string{"ana", "bo"} {
			if !other.LoggedOut(subject, "", issued) {
				t.Errorf("the access token of %s is accepted", subject)
			}
		}
	})
}

func TestAUserEndsTheirOwnSessionsOnly(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := sessions{s, engine.SessionTimes{Idle: time.Hour, Longest: 24 * time.Hour}}
		list := func(user string) (ids []string) {
			open, err := s.Sessions(t.Context(), user, in.SessionTimes)
			must(t, err)
			for _, session := range open {
				ids = append(ids, session.ID)
			}
			return ids
		}
		in.begin("old", "ana", "")
		s.advance(time.Hour)
		for _, secret := range []string{"one", "two", "three"} {
			in.begin(secret, "ana", "")
			s.advance(time.Minute)
		}
		in.begin("other", "bo", "")
		ana := list("ana")
		equal(t, "sessions, without the one that was not used", []int{len(ana)}, []int{3})
		must(t, s.EndSessionOf(t.Context(), "bo", ana[0]))
		equal(t, "after the attempt of another user", list("ana"), ana)
		must(t, s.EndSessionOf(t.Context(), "ana", ana[0]))
		equal(t, "after the end of one", list("ana"), ana[1:])
		must(t, s.EndOtherSessions(t.Context(), "ana", ana[2]))
		equal(t, "after the end of the others", list("ana"), ana[2:])
		equal(t, "of another user", in.open("other"), []string{"other"})
	})
}
