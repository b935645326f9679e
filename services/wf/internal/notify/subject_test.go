package notify

import (
	"bytes"
	"mime"
	"net/mail"
	"testing"

	gomail "github.com/wneessen/go-mail"
)

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
