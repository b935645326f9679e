package session_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/ui/session"
)

// tables is the schema that services have, in both dialects.
const tables = `-- +goose Up
CREATE TABLE session (id text PRIMARY KEY, user_id text NOT NULL, subject text NOT NULL, issuer_id text NOT NULL,
  sealed text NOT NULL, agent text NOT NULL, started_ms bigint NOT NULL, seen_ms bigint NOT NULL, ends_ms bigint NOT NULL,
  renew_ms bigint NOT NULL, rev bigint NOT NULL);
CREATE TABLE logout (jti text PRIMARY KEY, subject text NOT NULL, issuer_id text NOT NULL, at_ms bigint NOT NULL, ends_ms bigint NOT NULL);
`

var schema = fstest.MapFS{
	"migrations/sqlite/0001_init.sql":   {Data: []byte(tables)},
	"migrations/postgres/0001_init.sql": {Data: []byte(tables)},
}

// sessions is a store on a database whose clock the test sets.
type sessions struct {
	*session.Store
	*timetest.Clock
	t  *testing.T
	db *sqldb.DB
}

// each runs a test on both databases, with the idle timeout and the maximum lifetime in hours.
func each(t *testing.T, idle, longest time.Duration, fn func(t *testing.T, s sessions)) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: clock.Now, Logger: slog.New(slog.DiscardHandler)})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		must(t, db.Migrate(t.Context(), schema))
		keys, err := seal.Parse("k:" + seal.NewKey())
		must(t, err)
		store := session.New(db, session.Options{Keys: keys, Idle: idle * time.Hour, Longest: longest * time.Hour, TokenLifetime: time.Hour})
		fn(t, sessions{store, clock, t, db})
	})
}

// other returns the store of another process.
func (s sessions) other() *session.Store { return session.New(s.db, s.Options) }

func (s sessions) begin(secret, user, issuerID string) {
	s.t.Helper()
	must(s.t, s.Begin(s.t.Context(), secret, session.Session{
		UserID: user, Subject: "subject-of-" + user, IssuerID: issuerID, Tokens: session.Tokens{Access: "token-of-" + user},
	}))
}

// open returns the secrets whose sessions are valid.
func (s sessions) open(secrets ...string) (open []string) {
	s.t.Helper()
	for _, secret := range secrets {
		_, found, err := s.Find(s.t.Context(), secret)
		must(s.t, err)
		if found {
			open = append(open, secret)
		}
	}
	return open
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, name string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// A session ends after the idle timeout, and at the latest after the maximum lifetime.
func TestASessionExpires(t *testing.T) {
	each(t, 1, 3, func(t *testing.T, s sessions) {
		s.begin("used", "ana", "")
		s.begin("left", "bo", "")
		s.Advance(59 * time.Minute)
		equal(t, "open after 59 minutes", s.open("used"), []string{"used"})
		s.Advance(time.Minute)
		equal(t, "open after an hour", s.open("used", "left"), []string{"used"})
		for range 2 { // 119 and 178 minutes
			s.Advance(59 * time.Minute)
			equal(t, "open while it is used", s.open("used"), []string{"used"})
		}
		n, err := s.Purge(t.Context(), 10)
		must(t, err)
		equal(t, "purged after the idle timeout", []int{n}, []int{1})
		s.Advance(2 * time.Minute)
		equal(t, "open after three hours", s.open("used"), nil)
		s.begin("new", "ana", "")
		n, err = s.Purge(t.Context(), 10)
		must(t, err)
		equal(t, "purged after the maximum lifetime", []int{n}, []int{1})
		equal(t, "open in the end", s.open("used", "left", "new"), []string{"new"})
	})
}

// A logout token ends one session of a subject by its sid, or all of them, and no other.
func TestTheIssuerEndsSessions(t *testing.T) {
	each(t, 1, 1, func(t *testing.T, s sessions) {
		s.begin("here", "ana", "one")
		s.begin("there", "ana", "two")
		s.begin("other", "bo", "three")
		logOut := func(jti, subject, sid string) {
			t.Helper()
			must(t, s.LogOut(t.Context(), session.Logout{JTI: jti, Subject: subject, Session: sid, IssuedAt: s.Now()}))
		}
		all := []string{"here", "there", "other"}
		logOut("1", "subject-of-bo", "one")
		equal(t, "open, after a sid of another subject", s.open(all...), all)
		logOut("2", "subject-of-ana", "one")
		equal(t, "open, after one of two", s.open(all...), []string{"there", "other"})
		logOut("3", "subject-of-ana", "")
		equal(t, "open, after all of a subject", s.open(all...), []string{"other"})
		logOut("4", "", "three")
		equal(t, "open, after a sid without a subject", s.open(all...), nil)
	})
}

func TestALogoutTokenIsUsedOnce(t *testing.T) {
	each(t, 1, 1, func(t *testing.T, s sessions) {
		logout := session.Logout{JTI: "1", Subject: "subject-of-ana", IssuedAt: s.Now()}
		must(t, s.LogOut(t.Context(), logout))
		s.begin("again", "ana", "")
		if err := s.LogOut(t.Context(), logout); !errors.Is(err, session.ErrLogoutUsed) {
			t.Errorf("the second use: %v", err)
		}
		equal(t, "open, after the second use", s.open("again"), []string{"again"})
	})
}

// Access tokens of a session that the issuer has ended are refused for as long as the API
// would accept them, also by a process that did not receive the logout.
func TestALogoutEndsTheAccessTokensOfItsSession(t *testing.T) {
	each(t, 1, 1, func(t *testing.T, s sessions) {
		before, at, after := s.Now().Add(-time.Minute), s.Now(), s.Now().Add(time.Second)
		must(t, s.LogOut(t.Context(), session.Logout{JTI: "1", Subject: "ana", Session: "one", IssuedAt: at}))
		must(t, s.LogOut(t.Context(), session.Logout{JTI: "2", Subject: "bo", IssuedAt: at}))
		other := s.other()
		must(t, other.LoadLogouts(t.Context()))
		for _, process := range []*session.Store{s.Store, other} {
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
				"a token of another subject":         {"cy", "", before, false},
				"a token whose subject is a session": {"one", "", before, false},
			} {
				if got := process.IsLoggedOut(tt.subject, tt.sid, tt.issued); got != tt.want {
					t.Errorf("%s: %t, want %t", name, got, tt.want)
				}
			}
		}
		s.Advance(s.TokenLifetime)
		n, err := s.PurgeLogouts(t.Context(), 10)
		must(t, err)
		equal(t, "purged", []int{n}, []int{2})
		must(t, other.LoadLogouts(t.Context()))
		if other.IsLoggedOut("ana", "one", before) {
			t.Error("a logout outlives the tokens")
		}
	})
}

// A logout that is committed after a later one has been loaded takes effect.
func TestALateCommitOfALogoutIsLoaded(t *testing.T) {
	each(t, 1, 1, func(t *testing.T, s sessions) {
		other := s.other()
		issued := s.Now().Add(-time.Hour)
		s.Advance(30 * time.Second)
		must(t, s.LogOut(t.Context(), session.Logout{JTI: "later", Subject: "bo", IssuedAt: s.Now()}))
		must(t, other.LoadLogouts(t.Context()))
		s.Advance(-30 * time.Second)
		must(t, s.LogOut(t.Context(), session.Logout{JTI: "earlier", Subject: "ana", IssuedAt: s.Now()}))
		s.Advance(30 * time.Second)
		must(t, other.LoadLogouts(t.Context()))
		for _, subject := range []string{"ana", "bo"} {
			if !other.IsLoggedOut(subject, "", issued) {
				t.Errorf("the access token of %s is accepted", subject)
			}
		}
	})
}

func TestOneProcessRenewsTheTokensOfASession(t *testing.T) {
	each(t, 2, 24, func(t *testing.T, s sessions) {
		s.begin("first", "ana", "")
		old, _, err := s.Find(t.Context(), "first")
		must(t, err)
		claim := func(who *session.Store, of session.Session, want bool, when string) {
			t.Helper()
			claimed, err := who.ClaimRenewal(t.Context(), of)
			if must(t, err); claimed != want {
				t.Errorf("%s: claimed %v, want %v", when, claimed, want)
			}
		}
		claim(s.Store, old, true, "without a claim")
		claim(s.other(), old, false, "during the claim of another process")
		s.Set(s.Now().Add(time.Minute))
		claim(s.other(), old, true, "after the claim has expired")
		must(t, s.Renew(t.Context(), old, session.Tokens{Access: "new"}))
		claim(s.other(), old, false, "with the tokens of before the renewal")
		current, _, err := s.Find(t.Context(), "first")
		if must(t, err); current.Tokens.Access != "new" {
			t.Errorf("the access token is %q", current.Tokens.Access)
		}
		claim(s.Store, current, true, "with the present tokens")
	})
}

func TestSealedTokensAreBoundToTheirSession(t *testing.T) {
	each(t, 2, 24, func(t *testing.T, s sessions) {
		s.begin("first", "ana", "")
		s.begin("second", "bob", "")
		must(t, s.db.Do(t.Context(), func(tx *sqldb.Tx) error {
			return tx.Exec("UPDATE session SET sealed = (SELECT sealed FROM session WHERE user_id = 'bob') WHERE user_id = 'ana'").Error
		}))
		if got, found, err := s.Find(t.Context(), "first"); err == nil || found {
			t.Errorf("the session has the tokens of another one: %v, %v", got.Tokens, err)
		}
	})
}

func TestAUserEndsTheirOwnSessionsOnly(t *testing.T) {
	each(t, 1, 24, func(t *testing.T, s sessions) {
		list := func(user string) (ids []string) {
			open, err := s.List(t.Context(), user)
			must(t, err)
			for _, session := range open {
				ids = append(ids, session.ID)
			}
			return ids
		}
		s.begin("old", "ana", "")
		s.Advance(time.Hour)
		for _, secret := range []string{"one", "two", "three"} {
			s.begin(secret, "ana", "")
			s.Advance(time.Minute)
		}
		s.begin("other", "bo", "")
		ana := list("ana")
		equal(t, "sessions, without the one that was not used", []int{len(ana)}, []int{3})
		must(t, s.EndOf(t.Context(), "bo", ana[0]))
		equal(t, "after the attempt of another user", list("ana"), ana)
		must(t, s.EndOf(t.Context(), "ana", ana[0]))
		equal(t, "after the end of one", list("ana"), ana[1:])
		must(t, s.EndOthers(t.Context(), "ana", ana[2]))
		equal(t, "after the end of the others", list("ana"), ana[2:])
		equal(t, "of another user", s.open("other"), []string{"other"})
	})
}
