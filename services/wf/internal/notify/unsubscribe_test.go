package notify_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify/smtptest"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

// stopLink returns the token of a mail's unsubscribe link. Both parts have the link of the header.
func stopLink(t *testing.T, m smtptest.Mail) string {
	t.Helper()
	link := strings.Trim(m.Header("List-Unsubscribe"), "<>")
	u, err := url.Parse(link)
	must(t, err)
	text, html := parts(t, m)
	if !strings.HasPrefix(link, pages+"/unsubscribe?token=") || !strings.Contains(text, link) || !strings.Contains(html, link) {
		t.Errorf("the link %q is not in both parts of the mail:\n%s", link, text)
	}
	return u.Query().Get("token")
}

// withoutToken returns the subject and both parts of a mail. The token of the link differs in every attempt.
func withoutToken(t *testing.T, m smtptest.Mail) string {
	text, html := parts(t, m)
	return strings.ReplaceAll(subject(m)+"\n"+text+"\n"+html, url.QueryEscape(stopLink(t, m)), "TOKEN")
}

// The link of a mail ends the mails of its kind to its recipient, and nothing else.
func TestAnUnsubscribeLinkEndsOneKindOfMailToOnePerson(t *testing.T) {
	each(t, func(o *office) {
		t := o.t
		o.knows("ana", "bo")
		o.policy(policy.Definition{Name: "Leave", Stages: []policy.Stage{stage("ana", "bo")}})
		r := o.ask()
		o.deliver()
		token := stopLink(t, o.to("ana"))
		u, ok := o.Notices.ReadUnsubscribeToken(token)
		if !ok || u != (engine.Unsubscription{Person: "ana", Kind: notice.Waits}) {
			t.Fatalf("the link is about %+v, %t", u, ok)
		}
		for range 2 {
			must(t, o.Notices.Unsubscribe(t.Context(), u))
		}
		if on, err := o.Notices.IsSubscribed(t.Context(), u); on || err != nil {
			t.Errorf("still subscribed: %t, %v", on, err)
		}
		want := notice.Default()
		want.Waits = notice.None
		for who, want := range map[string]notice.Settings{"ana": want, "bo": notice.Default()} {
			if got, err := o.Notices.GetNotifications(t.Context(), person(who)); got.Settings != want || err != nil {
				t.Errorf("%s has %+v, %v", who, got.Settings, err)
			}
		}
		o.ask()
		_, err := o.Requests.AddComment(t.Context(), person("rita"), r.ID, wf.CommentInput{Text: "Soon?", Mentions: []string{"ana"}}, nil)
		must(t, err)
		o.deliver()
		o.wants("after the end", "ana@people.example To decide: Leave in July (Leave)", "bo@people.example To decide: Leave in July (Leave)",
			"bo@people.example To decide: Leave in July (Leave)", "ana@people.example Mentioned: Leave in July (Leave)")
	})
}

func TestOnlyTokensOfTheServiceUnsubscribe(t *testing.T) {
	each(t, func(o *office) {
		t := o.t
		good, err := engine.UnsubscribeToken(o.keys, engine.Unsubscription{Person: "ana", Kind: notice.Digest})
		must(t, err)
		if _, ok := o.Notices.ReadUnsubscribeToken(good); !ok {
			t.Fatal("a good token is refused")
		}
		sealed := func(text, place string) string {
			t.Helper()
			token, err := o.keys.Seal([]byte(text), place)
			must(t, err)
			return token
		}
		const ana = `{"person":"ana","kind":"waits_for_you"}`
		unknown, err := engine.UnsubscribeToken(o.keys, engine.Unsubscription{Person: "ana", Kind: "everything"})
		must(t, err)
		nobody, err := engine.UnsubscribeToken(o.keys, engine.Unsubscription{Kind: notice.Waits})
		must(t, err)
		for name, token := range map[string]string{
			"none": "", "plain": ana, "another kind": unknown, "no person": nobody, "cut": good[:len(good)-1], "changed": good[:len(good)-2] + "AA", "longer": good + "A",
			"of the key itself": sealed(ana, "wf: unsubscribe from mail"), "of a session": sealed(ana, "session|1|token"),
		} {
			if u, ok := o.Notices.ReadUnsubscribeToken(token); ok {
				t.Errorf("%s: accepted for %+v", name, u)
			}
		}
		if _, err := o.keys.Open(good, "wf: unsubscribe from mail"); err == nil {
			t.Error("the keys of the service open the token")
		}
	})
}
