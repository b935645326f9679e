package wf

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
)

// TestNoStepAcceptsAPersonWithoutACheck has every function that assigns a place or a task, or records a decision.
func TestNoStepAcceptsAPersonWithoutACheck(t *testing.T) {
	var unchecked approver.Fit
	c := taskChange{c: &change{}, run: &StageRun{}, task: &Task{}}
	for name, use := range map[string]func(){
		"decide":           func() { c.decision(right{}, DecisionInput{}, false) },
		"take":             func() { c.take(right{}) },
		"claim":            func() { Task{}.claim(unchecked, time.Time{}) },
		"assign":           func() { Task{}.assign(unchecked, approver.Approver{}) },
		"reassign":         func() { Task{}.reassign(unchecked, time.Time{}) },
		"reassign a place": func() { c.assign(unchecked) },
		"place":            func() { c.place(unchecked) },
		"join":             func() { c.run.add(unchecked, approver.Approver{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "without a check") {
					t.Errorf("recovered %s", got)
				}
			}()
			use()
		})
	}
}
