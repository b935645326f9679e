package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/notify"
)

// Each delegation in the name of a person is a notice to them.
func TestDelegatorsAreNotifiedOfEachDelegation(t *testing.T) {
	for name, tt := range map[string]struct {
		by      identity.Actor
		starts  time.Duration
		content notify.Content
		period  string
		creator string
	}{
		"by the delegator":   {person("ana"), 0, notify.ContentAll, "2 March 2026, 12:00 UTC to 3 March 2026, 12:00 UTC", "Ana"},
		"by an admin":        {admin("root"), 0, notify.ContentAll, "2 March 2026, 12:00 UTC to 3 March 2026, 12:00 UTC", "Root"},
		"for later":          {admin("root"), time.Hour, notify.ContentAll, "2 March 2026, 13:00 UTC to 3 March 2026, 12:00 UTC", "Root"},
		"without user texts": {admin("root"), 0, notify.ContentNone, "2 March 2026, 12:00 UTC to 3 March 2026, 12:00 UTC", "Root"},
	} {
		t.Run(name, func(t *testing.T) {
			o := begin(t, tt.content)
			o.knows("ana")
			must(t, o.People.RememberActor(t.Context(), person("dee")))
			d := approver.Delegation{
				User: person("ana").User, DelegateTo: identity.User{ID: "dee"}, EndsAt: noon.Add(24 * time.Hour), Reason: "Away in July",
			}
			if tt.starts > 0 {
				d.StartsAt = noon.Add(tt.starts)
			}
			_, err := o.Delegations.CreateDelegation(t.Context(), tt.by, d)
			must(t, err)
			o.deliver()
			o.wants("after the creation", "ana@people.example Delegation in your name to Dee")
			m := o.to("ana")
			text, html := parts(t, m)
			for _, want := range []string{"Dee may decide for you", tt.period, "Created by: " + tt.creator, pages + "/delegations"} {
				if !strings.Contains(text, want) {
					t.Errorf("the mail does not contain %q:\n%s", want, text)
				}
			}
			if !strings.Contains(html, pages+"/delegations") {
				t.Errorf("no link:\n%s", html)
			}
			if got := strings.Contains(text, "July"); got != (tt.content == notify.ContentAll) {
				t.Errorf("the reason in the mail: %t\n%s", got, text)
			}
		})
	}
}
