package notify

import (
	"bytes"
	"mime"
	"net/mail"
	"testing"

	gomail "github.com/wneessen/go-mail"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestWhyNobodyIsToldAnyMore(t *testing.T) {
	open := store.Recipient{Settings: wf.DefaultNotices(), Part: true, Status: wf.RequestInReview}
	but := func(change func(*store.Recipient)) store.Recipient {
		to := open
		change(&to)
		return to
	}
	waits := but(func(to *store.Recipient) { to.Waits = true })
	asks := but(func(to *store.Recipient) { to.Asks = true })
	ended := but(func(to *store.Recipient) { to.Asks, to.Status = true, wf.RequestApproved })
	for name, tt := range map[string]struct {
		kind wf.NoticeKind
		to   store.Recipient
		want string
	}{
		"it waits":                        {wf.NoticeWaits, waits, ""},
		"it waits no more":                {wf.NoticeWaits, open, notTrue},
		"they have no part any more":      {wf.NoticeMentioned, but(func(to *store.Recipient) { to.Part = false }), notTheirs},
		"the request is gone":             {wf.NoticeDecided, store.Recipient{Settings: wf.DefaultNotices(), Part: true}, notTheirs},
		"they want none of it":            {wf.NoticeWaits, but(func(to *store.Recipient) { to.Waits, to.Settings.Waits = true, wf.NoticeNone }), notWanted},
		"they want it daily by now":       {wf.NoticeWaits, but(func(to *store.Recipient) { to.Waits, to.Settings.Waits = true, wf.NoticeDaily }), ""},
		"it expires, and they can act":    {wf.NoticeExpires, waits, ""},
		"it expires, and they ask for it": {wf.NoticeExpires, asks, ""},
		"it expires, and others can act":  {wf.NoticeExpires, open, notTrue},
		"it has ended before":             {wf.NoticeExpires, ended, notTrue},
		"changes are asked":               {wf.NoticeChanges, but(func(to *store.Recipient) { to.Asks, to.Status = true, wf.RequestChangesRequested }), ""},
		"changes were made":               {wf.NoticeChanges, asks, notTrue},
		"it is decided":                   {wf.NoticeDecided, ended, ""},
		"a mention after the end":         {wf.NoticeMentioned, ended, ""},
	} {
		if got := unwanted(tt.kind, tt.to); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
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
