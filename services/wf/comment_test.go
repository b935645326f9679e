package wf_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/reason"
)

func (s *story) comment(by, text string, mentions ...string) error {
	return s.apply(person(by), wf.AddComment(wf.CommentInput{Text: text, Mentions: mentions}))
}

func TestRightsToComment(t *testing.T) {
	for _, row := range []struct {
		name, by, text string
		mentions       []string
		want           refusal.Reason
		where          string
	}{
		{"the requester", "rita", "Why?", nil, "", ""},
		{"the submitter", "sam", "Why?", nil, "", ""},
		{"an approver, to others", "ana", "Why?", []string{"bo", "rita", "bo"}, "", ""},
		{"to oneself", "ana", "Why?", []string{"ana"}, "", ""},
		{"a user without a part", "eve", "Why?", nil, reason.Forbidden, ""},
		{"an approver of a stage to come", "cy", "Why?", nil, reason.Forbidden, ""},
		{"to a user without a part", "ana", "Why?", []string{"bo", "eve"}, reason.BadInput, "/mentions/1"},
		{"blanks", "ana", " \t\u2003", nil, reason.TooShort, "/text"},
		{"a user without a part, white space", "eve", " ", []string{"eve"}, reason.Forbidden, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := begin(t, each("s", "ana", "bo"), each("next", "cy"))
			before := len(s.events)
			err := s.comment(row.by, row.text, row.mentions...)
			if row.want != "" {
				s.refused(err, row.want)
				if refusal, _ := errors.AsType[*refusal.Error](err); row.where != "" && refusal.Where != row.where {
					t.Errorf("refused at %v, want %s", refusal.Where, row.where)
				}
				return
			}
			s.must(err)
			said := s.events[before:]
			if len(said) != 1 || said[0].Type != audit.EventRequestCommented || said[0].Comment.Text != row.text || said[0].Actor.ID != row.by {
				t.Fatalf("events: %+v", said)
			}
			var ids []string
			for _, u := range said[0].Comment.Mentions {
				ids = append(ids, u.ID)
			}
			slices.Sort(ids)
			want := slices.Sorted(slices.Values(row.mentions))
			if !slices.Equal(ids, slices.Compact(want)) {
				t.Errorf("mentions %v, want %v", ids, want)
			}
		})
	}
}

func TestACommentChangesNothingElse(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	before := s.now
	s.must(s.comment("bo", "Looking at it", "rita"))
	after := s.now
	after.Chain, after.Rev, after.UpdatedAt = before.Chain, before.Rev, before.UpdatedAt
	if encode(after) != encode(before) {
		t.Errorf("after  %s\nbefore %s", encode(after), encode(before))
	}
}

// Comments are the only events after the last one.
func TestARequestThatHasEndedTakesComments(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.must(s.comment("rita", "Thank you", "ana"))
	s.status(wf.RequestApproved)

	s = begin(t, each("s", "ana"))
	s.at = s.now.ExpiresAt.Add(time.Second) // not yet detected
	before := len(s.events)
	s.must(s.comment("rita", "Too late"))
	s.status(wf.RequestExpired)
	last := s.events[len(s.events)-1]
	if last.Type != audit.EventRequestCommented || last.Actor.ID != "rita" ||
		s.events[len(s.events)-2].Type != audit.EventRequestExpired || len(s.events) < before+2 {
		t.Errorf("events: %+v", s.events[before:])
	}
}
