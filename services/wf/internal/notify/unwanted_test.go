package notify

import (
	"bytes"
	"mime"
	"net/mail"
	"testing"

	gomail "github.com/wneessen/go-mail"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/notice"
)

func TestReasonsToDropANotice(t *testing.T) {
	open := store.Recipient{Settings: notice.Default(), Part: true, Status: wf.RequestInReview}
	but := func(change func(*store.Recipient)) store.Recipient {
		to := open
		change(&to)
		return to
	}
	waits := but(func(to *store.Recipient) { to.Waits = true })
	asks := but(func(to *store.Recipient) { to.Asks = true })
	ended := but(func(to *store.Recipient) { to.Asks, to.Status = true, wf.RequestApproved })
	for name, tt := range map[string]struct {
		kind notice.Kind
		to   store.Recipient
		want string
	}{
		"it waits":                       {notice.Waits, waits, ""},
		"the task has ended":             {notice.Waits, open, notTrue},
		"they have no part any more":     {notice.Mentioned, but(func(to *store.Recipient) { to.Part = false }), notTheirs},
		"the request is gone":            {notice.Decided, store.Recipient{Settings: notice.Default(), Part: true}, notTheirs},
		"they want none of it":           {notice.Waits, but(func(to *store.Recipient) { to.Waits, to.Settings.Waits = true, notice.None }), notWanted},
		"they want it daily by now":      {notice.Waits, but(func(to *store.Recipient) { to.Waits, to.Settings.Waits = true, notice.Daily }), ""},
		"it expires, and they can act":   {notice.Expires, waits, ""},
		"expiry, with notices of it":     {notice.Expires, asks, ""},
		"it expires, and others can act": {notice.Expires, open, notTrue},
		"it has ended before":            {notice.Expires, ended, notTrue},
		"changes are asked":              {notice.Changes, but(func(to *store.Recipient) { to.Asks, to.Status = true, wf.RequestChangesRequested }), ""},
		"changes were made":              {notice.Changes, asks, notTrue},
		"it is decided":                  {notice.Decided, ended, ""},
		"a mention after the end":        {notice.Mentioned, ended, ""},
	} {
		if got := skipReason(tt.kind, audit.EventRequestExpiring, tt.to); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		about audit.EventType
		to    store.Recipient
		want  string
	}{
		{audit.EventStageDue, open, ""}, // an observer
		{audit.EventStageDue, ended, notTrue},
		{audit.EventStageReminded, open, notTrue},
		{audit.EventStageReminded, waits, ""},
	} {
		if got := skipReason(notice.Expires, tt.about, tt.to); got != tt.want {
			t.Errorf("%s to %+v: %q, want %q", tt.about, tt.to, got, tt.want)
		}
	}
}

func TestASubjectThatLooksEncodedIsEncoded(t *testing.T) {
	for _, text := range []string{"Plain", "État", "Leave =?UTF-8?B?c2VjcmV0?= of Ana and of all the others", "=?", "État =?utf-8?q?x?= 🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂"} {
		m := gomail.NewMsg()
		setSubject(m, text)
		var raw bytes.Buffer
		if _, err := m.WriteTo(&raw); err != nil {
			t.Fatal(err)
		}
		message, err := mail.ReadMessage(&raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject")); got != text || err != nil {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
}
