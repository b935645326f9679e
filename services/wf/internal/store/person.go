package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// people caches the users that this process has committed, so that most events write no person row.
// A user deleted in the database is written again after a change of name or a restart.
type people struct {
	mu    sync.Mutex
	known map[string]identity.User
}

// maxPeople bounds the cache. It is emptied when full.
const maxPeople = 50_000

// cacheMisses adds the cache misses of list to them: users with new or changed data.
func (p *people) cacheMisses(them map[string]identity.User, list []identity.User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range list {
		if merged := merge(p.known[u.ID], u); merged != p.known[u.ID] {
			them[u.ID] = merge(them[u.ID], u)
		}
	}
}

// remember caches committed users.
func (p *people) remember(them map[string]identity.User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known)+len(them) > maxPeople {
		p.known = make(map[string]identity.User, len(them))
	}
	for id, u := range them {
		p.known[id] = merge(p.known[id], u)
	}
}

// forgetAddress removes an unverified address from the cache.
func (p *people) forgetAddress(u identity.User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[u.ID]; known.Email == u.Email {
		known.Email = ""
		p.known[u.ID] = known
	}
}

// merge overlays now on old. An empty member of now keeps the old value, because tokens and
// directories can be incomplete.
func merge(old, now identity.User) identity.User {
	return identity.User{
		ID: now.ID, Username: cmp.Or(now.Username, old.Username), Name: cmp.Or(now.Name, old.Name), Email: cmp.Or(now.Email, old.Email),
	}
}

// meetPeople collects the users of a changed request for the write at the end of the transaction: those that before has
// not, or with other names.
func (tx *Tx) meetPeople(before, after wf.Request) {
	known := before.Named()
	for id, u := range after.Named() {
		if known[id] != u {
			tx.store.people.cacheMisses(tx.people, []identity.User{u})
		}
	}
}

// putPeople returns the statements that write users with new data. They are the last statements of
// the transaction, in id order, so that a transaction never waits while it locks person rows. Rows
// without a change are neither written nor locked.
func (tx *Tx) putPeople() []sqldb.Stmt {
	var stmts []sqldb.Stmt
	for chunk := range slices.Chunk(slices.Sorted(maps.Keys(tx.people)), sqldb.MaxChunk) {
		var stmt sqldb.Stmt
		for _, id := range chunk {
			u := tx.people[id]
			id, username, name := printable(id), printable(u.Username), printable(u.Name)
			stmt.Args = append(stmt.Args, id, username, name, printable(u.Email), fold(id), fold(username), fold(name))
		}
		stmt.SQL = `INSERT INTO person (id, username, name, email, folded_id, folded_username, folded_name)
			SELECT column1, column2, column3, column4, column5, column6, column7
			FROM (VALUES (` + marks(7) + `)` + strings.Repeat(", ("+marks(7)+")", len(chunk)-1) + `) AS v
			WHERE NOT EXISTS (SELECT 1 FROM person p WHERE p.id = v.column1
				AND v.column2 IN ('', p.username) AND v.column3 IN ('', p.name) AND v.column4 IN ('', p.email))
			ORDER BY column1
			ON CONFLICT (id) DO UPDATE SET
				username = CASE excluded.username WHEN '' THEN person.username ELSE excluded.username END,
				name = CASE excluded.name WHEN '' THEN person.name ELSE excluded.name END,
				folded_username = CASE excluded.username WHEN '' THEN person.folded_username ELSE excluded.folded_username END,
				folded_name = CASE excluded.name WHEN '' THEN person.folded_name ELSE excluded.folded_name END,
				email = CASE excluded.email WHEN '' THEN person.email ELSE excluded.email END`
		stmts = append(stmts, stmt)
	}
	if u := tx.unverified; u.Email != "" {
		stmts = append(stmts, sqldb.Stmt{SQL: "UPDATE person SET email = '' WHERE id = ? AND email = ?", Args: []any{printable(u.ID), printable(u.Email)}})
	}
	return stmts
}

// addNames adds the stored names of people to events.
func addNames(db *gorm.DB, list []wf.Event) ([]wf.Event, error) {
	var mentioned []string
	for _, e := range list {
		mentioned = append(mentioned, e.Mentions()...)
	}
	known, err := knownPeople(db, mentioned)
	if err != nil {
		return nil, err
	}
	out := make([]wf.Event, len(list))
	for i, e := range list {
		out[i] = e.WithNames(known)
	}
	return out, nil
}

const selectPeople = "SELECT id, username, name, email FROM person WHERE "

// KnownPeople returns the stored people by id.
func (s *Store) KnownPeople(ctx context.Context, ids []string) (map[string]identity.User, error) {
	return knownPeople(s.db.Read(ctx), ids)
}

// KnownPeople is Store.KnownPeople within the transaction.
func (tx *Tx) KnownPeople(ids []string) (map[string]identity.User, error) {
	if len(ids) == 0 {
		return map[string]identity.User{}, nil
	}
	among, people := amongTexts(tx.DB, "id", ids), []identity.User{}
	err := tx.Batch(sqldb.Stmt{SQL: selectPeople + among.where, Args: among.args, Into: &people})
	return byID(people), wrapError(err, "read the names of people")
}

func knownPeople(db *gorm.DB, ids []string) (map[string]identity.User, error) {
	if len(ids) == 0 {
		return map[string]identity.User{}, nil
	}
	var people []identity.User
	err := amongTexts(db, "id", ids).of(db.Table("person")).Find(&people).Error
	return byID(people), wrapError(err, "read the names of people")
}

func byID(people []identity.User) map[string]identity.User {
	users := make(map[string]identity.User, len(people))
	for _, u := range people {
		users[u.ID] = u
	}
	return users
}

// People finds users by a part of their name, username or id.
func (s *Store) People(ctx context.Context, text string, limit int) ([]identity.User, error) {
	users := []identity.User{}
	q := sqldb.Search(s.db.Read(ctx).Table("person"), fold(text), "folded_username", "folded_name", "folded_id")
	err := q.Order("id").Limit(limit).Find(&users).Error
	return users, wrapError(err, "look for people")
}

// ShownUsers returns the users of the ids that a token or a directory has shown: the stored ones, and those that acted.
func (s *Store) ShownUsers(ctx context.Context, ids []string) (map[string]identity.User, error) {
	shown := map[string]identity.User{}
	for some := range slices.Chunk(sqldb.Values(ids, printable), 500) {
		var rows []identity.User
		values := strings.Repeat(", (?)", len(some))[2:]
		args := sqldb.Values(some, func(id string) any { return id })
		err := s.db.Read(ctx).Raw(`SELECT v.column1 AS id, coalesce(p.username, '') AS username, coalesce(p.name, '') AS name, coalesce(p.email, '') AS email
			FROM (VALUES `+values+`) AS v LEFT JOIN person p ON p.id = v.column1
			WHERE p.id IS NOT NULL OR EXISTS (SELECT 1 FROM event e WHERE e.actor_id = v.column1)`, args...).
			Scan(&rows).Error
		if err != nil {
			return nil, wrapError(err, "look for named people")
		}
		maps.Copy(shown, byID(rows))
	}
	return shown, nil
}
