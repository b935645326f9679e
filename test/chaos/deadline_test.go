package chaos

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// due is a policy whose stage is due, escalated to cy and reminded at instants of the content. The approval is for one
// use and ends at an instant of the content.
const due = `{"policy_key":"due","name":"Due","settings":{"single_use":true,"validity":{"until_cel":"timestamp(context.until)"}},
	"stages":[{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}],
	"deadline":{"due_cel":"timestamp(context.due)","on_due":"escalate","escalate_to":[{"type":"user","ids":["cy"]}]}}]}`

// duePolicy makes the policy due.
func (c *caller) duePolicy(t *testing.T) {
	t.Helper()
	c.must(t, "POST", policies, due, 201)
	c.must(t, "POST", policies+"/due/versions/1/activate", "", 200)
}

// request is a request as the tests read it.
type request struct {
	ID          string `json:"id"`
	ContextHash string `json:"context_hash"`
	Tasks       []struct {
		ID string `json:"id"`
	} `json:"tasks"`
}

func (a answer) request(t *testing.T) request {
	t.Helper()
	var envelope struct{ Response request }
	if err := json.Unmarshal(a.body, &envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Response
}

// begin makes a request of the policy due.
func (c *caller) begin(t *testing.T, due, until time.Time) request {
	t.Helper()
	body := fmt.Sprintf(`{"policy_key":"due","context":{"due":%q,"until":%q}}`, due.UTC().Format(time.RFC3339Nano), until.UTC().Format(time.RFC3339Nano))
	return c.must(t, "POST", requests, body, 201).request(t)
}

// event is an event of a request with its time.
type event struct {
	Type  string    `json:"type"`
	At    time.Time `json:"at"`
	Stage *struct {
		DueAt time.Time `json:"due_at"`
	} `json:"stage"`
}

func (c *caller) events(t *testing.T, id string) []event {
	t.Helper()
	var envelope struct{ Response struct{ Items []event } }
	if err := json.Unmarshal(c.must(t, "GET", requests+"/"+id+"/events?limit=200", "", 200).body, &envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Response.Items
}

// once awaits an event of a request and fails the test unless it occurs once and not before its instant.
func (c *caller) once(t *testing.T, id, kind string, not time.Time) {
	t.Helper()
	find := func() (at []time.Time) {
		for _, e := range c.events(t, id) {
			if e.Type == kind {
				at = append(at, e.At)
			}
		}
		return at
	}
	timetest.Eventually(t, kind, func() bool { return len(find()) > 0 })
	if at := find(); len(at) != 1 || at[0].Before(not.Truncate(time.Millisecond)) {
		t.Errorf("request %s has %s at %v, want once from %s on", id, kind, at, not)
	}
}

// killer is a proxy to the database that kills its process at a statement of the next transaction that locks a request.
type killer struct {
	shared *shots
	kill   func()
}

// shots counts the statements of the transactions that lock a request, of all processes, until one is killed.
type shots struct {
	mu    sync.Mutex
	left  int // statements until the kill; 0 for none
	after bool
	fired bool
}

// next reports whether the process dies at this statement, and whether the database gets
// the statement first.
func (s *shots) next() (dies, after bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 {
		return false, false
	}
	s.left--
	s.fired = s.left == 0
	return s.fired, s.after
}

// arm has a process die at the n-th statement, before the database gets it or after.
func (s *shots) arm(n int, after bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.after, s.fired = n, after, false
}

// disarm lets all processes live, and reports whether one dies or has died.
func (s *shots) disarm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = 0
	return s.fired
}

// ways pass messages on.
func (k *killer) ways(near, far net.Conn) (up, down func()) {
	service, server := pgproto3.NewBackend(near, near), pgproto3.NewFrontend(far, far)
	up = func() {
		hello, err := service.ReceiveStartupMessage()
		if err != nil {
			return
		}
		server.Send(hello)
		statements, inside := map[string]string{}, false
		for server.Flush() == nil {
			message, err := service.Receive()
			if err != nil {
				return
			}
			dies, after := false, false
			switch sent := message.(type) {
			case *pgproto3.Parse:
				statements[sent.Name] = sent.Query
			case *pgproto3.Bind:
				query := statements[sent.PreparedStatement]
				inside = inside && query != "BEGIN" || strings.Contains(query, "FOR UPDATE")
				if inside {
					dies, after = k.shared.next()
				}
			}
			if dies && !after {
				k.kill()
				return
			}
			if server.Send(message); dies {
				_ = server.Flush()
				k.kill()
				return
			}
		}
	}
	down = func() {
		p := &proxy{}
		for p.answer(service, server, new(atomic.Bool)) == nil {
		}
	}
	return up, down
}

// deadly returns a replica that dies at a statement.
func deadly(t *testing.T, s *service, database string, shots *shots) *mortal {
	t.Helper()
	m := &mortal{service: *s, killer: &killer{shared: shots}}
	_, through := sqldbtest.Between(t, database, m.killer.ways)
	m.service.env = append(slices.Clone(s.env), s.prefix+"DATABASE_URL="+through)
	m.rise()
	return m
}

// mortal is a replica behind a killer.
type mortal struct {
	service
	killer *killer
	now    *replica
	dead   chan struct{}
}

// rise starts the process, again at its address.
func (m *mortal) rise() {
	address := ""
	if m.now != nil {
		address = m.now.address()
	}
	dead := make(chan struct{})
	m.dead = dead
	r := m.service.start(address)
	m.now, m.killer.kill = r, sync.OnceFunc(func() {
		r.Signal(syscall.SIGKILL)
		close(dead)
	})
	r.Ready(r.url)
}

// revive starts the process again if it is dead, and reports whether it was.
func (m *mortal) revive() bool {
	select {
	case <-m.dead:
		m.now.Wait()
		m.rise()
		return true
	default:
		return false
	}
}

// One of two replicas is killed at each statement of the loops of the deadlines and of the lapses, before and after the
// database gets it. Each event comes once, and none early. make check SUITE=chaos takes every statement.
func TestAKillInTheLoopsOfTheClockRepeatsNothing(t *testing.T) {
	statements := []int{1, 4}
	if os.Getenv("COUNTERSIGN_CHAOS") == "1" {
		statements = statements[:0]
		for n := 1; n <= 40; n++ {
			statements = append(statements, n)
		}
	}
	database := sqldbtest.Postgres(t)
	s := wf(t, database)
	front := *s
	front.env = append(slices.Clone(s.env), s.prefix+"WORKERS=false")
	api := front.begin("")
	root, ana := s.caller(api.url), s.callerAs(api.url, "ana")
	root.duePolicy(t)
	shots := &shots{}
	replicas := []*mortal{deadly(t, s, database, shots), deadly(t, s, database, shots)}
	// round lets one date pass, and reports whether a replica was killed at the n-th statement,
	// and whether the kill was armed in time: on a slow machine the date passes first.
	round := func(loop string, n int, after bool) (killed, early bool) {
		at := time.Now().Add(1500 * time.Millisecond)
		switch loop {
		case "deadlines":
			r := root.begin(t, at, at.Add(time.Hour))
			shots.arm(n, after)
			early = time.Now().Before(at)
			root.once(t, r.ID, "stage.due", at)
			root.once(t, r.ID, "stage.escalated", at)
		default:
			r := root.begin(t, at.Add(time.Hour), at)
			ana.must(t, "POST", "/v1/wf/tasks/"+r.Tasks[0].ID+"/decision", `{"action":"approve"}`, 200)
			shots.arm(n, after)
			early = time.Now().Before(at)
			root.once(t, r.ID, "request.lapsed", at)
		}
		if killed = shots.disarm(); killed {
			timetest.Eventually(t, "a replica is dead", func() bool {
				return slices.ContainsFunc(replicas, (*mortal).revive)
			})
		}
		return killed, early
	}
	for _, loop := range []string{"deadlines", "lapses"} {
		kills := 0
	statements:
		for _, n := range statements {
			for _, after := range []bool{false, true} {
				killed, early := round(loop, n, after)
				for !killed && !early {
					killed, early = round(loop, n, after)
				}
				if !killed {
					break statements // the transaction has fewer statements
				}
				kills++
			}
		}
		t.Logf("%s: %d kills", loop, kills)
		if kills < 2 {
			t.Errorf("%s: %d processes were killed", loop, kills)
		}
	}
}
