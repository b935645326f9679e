package programs

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// Reply is the reply to a call.
type Reply struct {
	Status int
	Body   []byte

	t    testing.TB
	call string
}

// Call sends a request with a bearer token, or none, and a JSON body, or none. key is the
// Idempotency-Key; empty for none.
func Call(t testing.TB, token, key, method, url string, body any) Reply {
	t.Helper()
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Idempotency-Key": key} {
		if value != "" && value != "Bearer " {
			request.Header.Set(name, value)
		}
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Reply{response.StatusCode, raw, t, method + " " + url + " " + string(content)}
}

// errors returns the codes of the errors in the envelope. Documents of RFC 7591 have no envelope.
func (r Reply) errors() (codes []string) {
	var envelope struct {
		Errors []struct{ ErrorCode string }
	}
	_ = json.Unmarshal(r.Body, &envelope)
	for _, e := range envelope.Errors {
		codes = append(codes, e.ErrorCode)
	}
	return codes
}

// Is requires a status, and of a success no errors in the envelope.
func (r Reply) Is(status int) Reply {
	r.t.Helper()
	if r.Status != status || status < 300 && len(r.errors()) > 0 {
		r.t.Fatalf("%s: %d %s, want %d", r.call, r.Status, r.Body, status)
	}
	return r
}

// ExpectRefusal requires the status and the code of a refusal.
func (r Reply) ExpectRefusal(status int, code string) {
	r.t.Helper()
	if codes := r.errors(); r.Status != status || len(codes) == 0 || codes[0] != code {
		r.t.Errorf("%s: %d %s, want %d with %s", r.call, r.Status, r.Body, status, code)
	}
}

// Decode decodes the response in the envelope.
func (r Reply) Decode(v any) {
	r.t.Helper()
	envelope := struct{ Response any }{v}
	if err := json.Unmarshal(r.Body, &envelope); err != nil {
		r.t.Fatalf("%s: %s: %v", r.call, r.Body, err)
	}
}
