package engine_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

// full is a user with every optional field set. JSON may escape the id.
func full(id string) identity.User {
	return identity.User{ID: id, Username: "username-of-" + id, Name: "Name <of> " + id, Email: id + "@address.example"}
}

func TestErasureKeepsOnlyTheUserID(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		const gone, stays = "a&na", "bo"
		actor := func(id string) identity.Actor {
			by := admin(id)
			by.User = full(id)
			return by
		}
		ana, bo := actor(gone), actor(stays)
		s = s.answered(func(context.Context, approver.Question) ([]identity.User, error) {
			return []identity.User{full(gone), full(stays)}, nil
		})

		// They create requests, decide, delegate, write policies and create endpoints.
		_, err := s.Webhooks.CreateEndpoint(t.Context(), ana, outbox.Endpoint{Name: "ledger", URL: "https://ledger.example/",
			Events: []string{"*.*"}, PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true}, "")
		must(t, err)
		everybody := policy.Stage{Key: "check", Name: "check",
			Approvers: []policy.Rule{{Type: policy.RuleRole, Role: "checker"}},
			Observers: []policy.Rule{{Type: policy.RuleRole, Role: "auditor"}}}
		key := "p-erase"
		_, err = s.Policies.CreatePolicy(t.Context(), ana, key, policyOf(everybody))
		must(t, err)
		_, err = s.Policies.ActivateVersion(t.Context(), ana, key, 1, "", "")
		must(t, err)
		leave := s.leave(stays, gone)
		leave.User, leave.DelegateTo = full(stays), full(gone)
		_, err = s.Delegations.CreateDelegation(t.Context(), bo, leave)
		must(t, err)
		for i, by := range []identity.Actor{ana, bo, actor("cy")} {
			reply, err := s.Requests.CreateRequest(t.Context(), by, input(key), keyOf(by, "k", "f"))
			must(t, err)
			for _, task := range reply.Case.Request.Tasks {
				for _, who := range []identity.Actor{ana, bo} {
					if i > 0 && task.HeldBy(who.ID) {
						_ = s.decide(task.ID, who, wf.DecisionInput{Action: wf.ActionApprove, Data: json.RawMessage(`{"id":"a&na","name":"as they wrote it"}`)})
					}
				}
			}
		}

		// They have sessions and notification settings.
		sessions := s.store.Sessions(session.Options{Keys: s.options.Keys, Idle: time.Hour, Longest: 24 * time.Hour})
		quiet := notice.Settings{Mail: notice.Off}
		s.advance(2 * time.Hour)
		for _, by := range []identity.Actor{ana, bo} {
			must(t, sessions.Begin(t.Context(), by.ID, session.Session{UserID: by.ID}))
			must(t, s.Notices.PutNotifications(t.Context(), by, quiet))
		}

		marks := []string{"username-of-a", "Name <of> a", `Name \u003cof\u003e a`, "a&na@", `a\u0026na@`}
		holding := func() (found []string) {
			for _, mark := range marks {
				found = append(found, s.holding(mark)...)
			}
			return found
		}
		before := holding()
		for _, place := range []string{
			"message.payload", "idempotency_key.body", "person.name",
		} {
			if !strings.Contains(strings.Join(before, " "), place+" ") {
				t.Errorf("the test puts no name into %s: %v", place, before)
			}
		}
		kept := func() []string { // a reply about both is deleted
			return slices.DeleteFunc(s.holding("username-of-bo"), func(place string) bool { return strings.HasPrefix(place, "idempotency_key.") })
		}
		others := kept()
		dry, err := s.Deletion.ErasePerson(t.Context(), gone, true)
		must(t, err)
		equal(t, "after a dry run", holding(), before)
		if dry["person"] != 1 || dry["idempotency_key"] == 0 {
			t.Errorf("a dry run counts %v", dry)
		}
		done, err := s.Deletion.ErasePerson(t.Context(), gone, false)
		must(t, err)
		if !maps.Equal(dry, done) {
			t.Errorf("erased %v, and the dry run counted %v", done, dry)
		}
		for _, place := range holding() { // a purge deletes payloads
			if !strings.HasPrefix(place, "message.payload ") {
				t.Errorf("after the erasure: %s", place)
			}
		}
		for secret, want := range map[string]bool{gone: false, stays: true} {
			if _, found, err := sessions.Find(t.Context(), secret); found != want || err != nil {
				t.Errorf("session of %s: %t, %v", secret, found, err)
			}
		}
		for _, by := range []identity.Actor{ana, bo} {
			now, err := s.Notices.GetNotifications(t.Context(), by)
			must(t, err)
			if now.Settings == quiet != (by.ID == stays) {
				t.Errorf("%s has the notice settings %+v", by.ID, now.Settings)
			}
		}
		equal(t, "data of another user", kept(), others)
		s.holds()
		if len(s.holding("as they wrote it")) == 0 {
			t.Error("free text of another user is missing")
		}
		types := s.types("")
		if types[len(types)-1] != audit.EventAuditErased {
			t.Errorf("the last event is %s", types[len(types)-1])
		}
		if again, err := s.Deletion.ErasePerson(t.Context(), gone, false); err != nil || len(again) > 0 {
			t.Errorf("a second time: %v, %v", again, err)
		}
		s.exec("DELETE FROM idempotency_key") // they have no nonce
	})
}
