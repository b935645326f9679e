package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// A process that is killed while it sends mail loses none. A recipient may receive the mail in
// flight twice, with the same id.
func TestAKillLosesNoMail(t *testing.T) {
	if testing.Short() {
		t.Skip("leases of a dead process end after 20 s")
	}
	sqldbtest.Each(t, func(t *testing.T, url string) {
		t.Parallel() // for one expiry of the leases
		const people, connections = 40, 4
		mail := wftest.StartMail(t)
		mail.Answer(wftest.MailAnswers{Delay: func(string) time.Duration { return 50 * time.Millisecond }})
		dir := t.TempDir()
		env := append(development(url), "WF_INBOX_URL=https://wf.example", fmt.Sprintf("WF_NOTIFY_SMTP_URL=smtp://127.0.0.1:%d?starttls=none", mail.Port),
			"WF_NOTIFY_FROM=Approvals <approvals@wf.example>")
		first := start(t, dir, env, "serve")
		base := "http://" + first.address()
		first.until("it is ready", func() bool { return get(t, base+"/readyz", "") == http.StatusOK })

		as := func(method, path, who, body string) {
			t.Helper()
			token, err := daemon.DevToken(filepath.Join(dir, ".data"), bearer.DevToken{
				Subject: who, Audience: "countersign-wf", Roles: []string{"WF_ADMIN"}, Claims: map[string]any{"email": who + "@people.example"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if status := call(t, method, base+path, token, body); status >= 300 {
				t.Fatalf("%s %s: %d", method, path, status)
			}
		}
		ids := make([]string, people)
		for i := range ids {
			ids[i] = fmt.Sprintf("u%02d", i)
			as(http.MethodPut, "/v1/wf/me/notifications", ids[i], `{}`) // their token has their address
		}
		list, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		as(http.MethodPost, "/v1/wf/policies", "root", `{"policy_key":"leave","name":"Leave","stages":[{"key":"s","name":"S","assignment":"pool","quorum":{"mode":"any"},"approvers":[{"type":"user","ids":`+string(list)+`}]}]}`)
		as(http.MethodPost, "/v1/wf/policies/leave/versions/1/activate", "root", "")
		as(http.MethodPost, "/v1/wf/requests", "rita", `{"policy_key":"leave","title":"Leave in July"}`)
		collected(t, url)
		first.until("some are told", func() bool { return len(mail.Accepted()) >= people/4 })
		if err := first.cmd.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		<-first.ended
		if n := len(mail.Accepted()); n >= people {
			t.Fatalf("all %d received mail before the kill", n)
		}

		second := start(t, dir, env, "serve")
		told := map[string][]string{} // message ids by recipient
		second.until("everybody is told", func() bool {
			clear(told)
			for _, m := range mail.Accepted() {
				told[m.To] = append(told[m.To], m.ID())
			}
			return len(told) == people
		})
		twice := 0
		for who, messages := range told {
			if len(messages) > 1 {
				twice++
			}
			if slices.Sort(messages); len(slices.Compact(messages)) != 1 {
				t.Errorf("%s got different messages: %v", who, messages)
			}
		}
		if twice > 2*connections {
			t.Errorf("%d received two mails, with at most %d mails were under way", twice, 2*connections)
		}
		t.Logf("%d of %d received two mails", twice, people)
	})
}

// collected makes the mails of the stored notices due.
func collected(t *testing.T, url string) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	err = db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Exec("UPDATE notice_item SET due_ms = 1").Error })
	if err != nil {
		t.Fatal(err)
	}
}
