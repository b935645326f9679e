package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// step is one call of a schedule: the call of the service and its equivalent in the domain.
type step struct {
	name string
	ask  func(s *service) error
	by   identity.Actor
	step wf.Step

	// The outcome, and the begin and end on a common clock.
	outcome    string
	begun, end int64
}

// randomStep is a call on one of the tasks, by one of the people.
func randomStep(rng *rand.Rand, r wf.Request, people []string) *step {
	who, to := people[rng.IntN(len(people))], people[rng.IntN(len(people))]
	index := rng.IntN(len(r.Tasks))
	task := r.Tasks[index].ID
	decide := func(action wf.Action) *step {
		in := wf.DecisionInput{ID: "d", Action: action}
		return &step{
			name: fmt.Sprintf("%s: %s %d", who, action, index),
			ask:  func(s *service) error { return s.decide(task, person(who), in) },
			by:   person(who), step: wf.Decide(task, in),
		}
	}
	switch n := rng.IntN(20); {
	case n < 6:
		return decide(wf.ActionApprove)
	case n < 8:
		return decide(wf.ActionReject)
	case n < 9:
		return decide(wf.ActionRequestChanges)
	case n < 13:
		return &step{
			name: fmt.Sprintf("%s: claim %d", who, index),
			ask:  func(s *service) error { return s.claim(task, who) },
			by:   person(who), step: wf.Claim(task, ""),
		}
	case n < 14:
		return &step{
			name: fmt.Sprintf("%s: withdraw %d", who, index),
			ask:  func(s *service) error { return s.withdraw(task, who) },
			by:   person(who), step: wf.Withdraw(task, ""),
		}
	case n < 16:
		return &step{
			name: fmt.Sprintf("%s: unclaim %d", who, index),
			ask: func(s *service) error {
				_, err := s.Tasks.UnclaimTask(s.t.Context(), person(who), task, "")
				return err
			},
			by: person(who), step: wf.Unclaim(task),
		}
	case n < 19:
		return &step{
			name: fmt.Sprintf("root: move %d to %s", index, to),
			ask:  func(s *service) error { return s.reassign(task, to, root) },
			by:   root, step: wf.Reassign(task, identity.User{ID: to}, false, ""),
		}
	default:
		return &step{
			name: "rita: cancel",
			ask:  func(s *service) error { return s.cancel(r.ID, rita) },
			by:   rita, step: wf.Cancel(""),
		}
	}
}

// explains reports whether some order of the steps leads from r to the state that
// was found, each step with the outcome that was seen. A step that ended before
// another began comes first: that is linearizability, searched through.
func explains(r wf.Request, def policy.Definition, at time.Time, steps []*step, found string) bool {
	if len(steps) == 0 {
		return describe(r) == found
	}
	for i, next := range steps {
		rest := append(append([]*step{}, steps[:i]...), steps[i+1:]...)
		first := true
		for _, other := range rest {
			first = first && other.end > next.begun
		}
		if !first {
			continue
		}
		facts := wf.Facts{At: at, Seed: wf.Seed{byte(len(steps))}} // every rule names its users, and there are no delegations
		after, _, err := r.Apply(def, next.by, facts, next.step)
		if outcome(err) != next.outcome {
			continue
		}
		if err != nil {
			after = r
		}
		if explains(after, def, at, rest, found) {
			return true
		}
	}
	return false
}

func TestAnyScheduleEqualsSomeOrderOfItsCalls(t *testing.T) {
	const schedules, callers, calls = 100, 4, 3
	people := []string{"ana", "bo", "cy"}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	definitions := []policy.Definition{
		policyOf(pool("check", 2, people...), stage("director", "dora")),
		policyOf(stage("check", "ana", "bo"), pool("payment", 1, "dora", "dan")),
		policyOf(but(pool("check", 1, people...), func(s *policy.Stage) { s.ParallelGroup = "both" }),
			but(anyOf("law", people...), func(s *policy.Stage) { s.ParallelGroup = "both" })),
		but(policyOf(but(pool("check", 1, people...), func(s *policy.Stage) { s.ParallelGroup = "both" }),
			but(pool("law", 1, people...), func(s *policy.Stage) { s.ParallelGroup = "both" })),
			func(d *policy.Definition) { d.Settings.RepeatApprover = policy.RepeatExclude }),
	}
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		var keys []string
		for _, def := range definitions {
			keys = append(keys, s.publish(def))
		}
		moved := map[string]int{}
		for n := range schedules {
			rng := rand.New(rand.NewPCG(seed, uint64(n)))
			key := keys[n%len(keys)]
			before := s.read(s.create(key).ID)
			var steps []*step
			var running sync.WaitGroup
			var clock atomic.Int64
			start := make(chan struct{})
			for c := range callers {
				mine := make([]*step, calls)
				for i := range mine {
					mine[i] = randomStep(rng, before, people)
				}
				steps = append(steps, mine...)
				running.Go(func() {
					<-start
					for _, next := range mine {
						next.begun = clock.Add(1)
						next.outcome = outcome(next.ask(replicas[c%2]))
						next.end = clock.Add(1)
					}
				})
			}
			close(start)
			running.Wait()

			after := s.read(before.ID)
			if !explains(before, definitions[n%len(keys)], s.now(), steps, describe(after)) {
				t.Fatalf("schedule %d of seed %d ends in no order of its calls: %s\n%s", n, seed, describe(after), tell(steps))
			}
			for _, next := range steps {
				moved[next.outcome]++
			}
		}
		t.Logf("outcomes: %v", moved)
		if moved["ok"] < schedules || moved["wrong_state"] < schedules/2 {
			t.Errorf("outcomes %v: the schedules hardly met", moved)
		}
	})
}

// tell formats a schedule for the test log.
func tell(steps []*step) string {
	var lines []string
	for _, s := range steps {
		lines = append(lines, fmt.Sprintf("%3d to %3d  %-24s %s", s.begun, s.end, s.name, s.outcome))
	}
	return strings.Join(lines, "\n")
}
