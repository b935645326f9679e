package wftest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/services/wf/identity"
)

// Client calls the API as one person.
type Client struct {
	t        testing.TB
	url      string
	document *document // of the service, with which each reply is compared; nil for any service
	Token    string
}

// At returns a client of any service, whose replies are compared with no document.
func At(t testing.TB, url, token string) *Client { return &Client{t: t, url: url, Token: token} }

// Client returns a client whose tokens have the roles.
func (w *Service) Client(t testing.TB, sub string, roles ...identity.Role) *Client {
	t.Helper()
	return w.ClientWith(t, sub, nil, roles...)
}

// ClientWith is Client with more claims in the token.
func (w *Service) ClientWith(t testing.TB, sub string, claims map[string]any, roles ...identity.Role) *Client {
	t.Helper()
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = string(role)
	}
	token, err := w.issuer.Issue(bearer.DevToken{
		Issuer: Issuer, Subject: sub, Audience: audience, Roles: names, Claims: claims,
	})
	Must(t, err)
	return w.WithToken(t, token)
}

// WithToken returns a client with the token.
func (w *Service) WithToken(t testing.TB, token string) *Client {
	return &Client{t, w.URL, w.document, token}
}

// Anonymous returns a client without a token.
func (w *Service) Anonymous(t testing.TB) *Client { return w.WithToken(t, "") }

// Reply is a reply, read to its end and valid by the document.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	t    testing.TB
	Call string // its method and path
}

// Get, Post, Put, Patch and Delete are Do with the method.
func (c *Client) Get(path string) Reply {
	c.t.Helper()
	return c.Do(http.MethodGet, path, nil)
}

func (c *Client) Post(path string, body any, headers ...string) Reply {
	c.t.Helper()
	return c.Do(http.MethodPost, path, body, headers...)
}

func (c *Client) Put(path string, body any, headers ...string) Reply {
	c.t.Helper()
	return c.Do(http.MethodPut, path, body, headers...)
}

func (c *Client) Patch(path string, body any, headers ...string) Reply {
	c.t.Helper()
	return c.Do(http.MethodPatch, path, body, headers...)
}

func (c *Client) Delete(path string) Reply {
	c.t.Helper()
	return c.Do(http.MethodDelete, path, nil)
}

// Do sends a request. A string or bytes are sent unchanged, nil is no body, other values are
// encoded as JSON. headers are names and values in turn. Content-Type is application/json by
// default; an empty one is not sent.
func (c *Client) Do(method, path string, body any, headers ...string) Reply {
	t := c.t
	t.Helper()
	reply, err := Send(t.Context(), method, c.url+path, c.Token, encode(t, body), headers...)
	Must(t, err)
	reply.t, reply.Call = t, method+" "+path
	path, _, _ = strings.Cut(path, "?")
	if c.document != nil {
		if err := c.document.check(method, path, reply); err != nil {
			t.Errorf("%s: %v", reply, err)
		}
	}
	return reply
}

// Send is Do for any service, with any token, without a comparison with the document.
func Send(ctx context.Context, method, url, token string, body []byte, headers ...string) (reply Reply, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept-Encoding", "identity")
	given := map[string]bool{}
	for i := 0; i+1 < len(headers); i += 2 {
		name := http.CanonicalHeaderKey(headers[i])
		if !given[name] {
			request.Header.Del(name)
			given[name] = true
		}
		request.Header[name] = append(request.Header[name], headers[i+1])
	}
	if request.Header.Get("Content-Type") == "" {
		request.Header.Del("Content-Type")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply, err
	}
	defer response.Body.Close()
	reply = Reply{Status: response.StatusCode, Header: response.Header}
	reply.Body, err = io.ReadAll(response.Body)
	return reply, err
}

func encode(t testing.TB, body any) []byte {
	t.Helper()
	switch body := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(body)
	case []byte:
		return body
	}
	raw, err := json.Marshal(body)
	Must(t, err)
	return raw
}

// String describes the call and its reply.
func (r Reply) String() string {
	return fmt.Sprintf("%s = %d %s", r.Call, r.Status, r.Body[:min(len(r.Body), 600)])
}

// Want ends the test unless the reply has the status.
func (r Reply) Want(status int) Reply {
	r.t.Helper()
	if r.Status != status {
		r.t.Fatalf("%s, want %d", r, status)
	}
	return r
}

// Refused ends the test unless the reply is a refusal with the status and code, or
// a 422, which has no code. It returns the message.
func (r Reply) Refused(status int, code string) string {
	r.t.Helper()
	if r.Status != status || r.Code() != code {
		r.t.Fatalf("%s, want %d %s", r, status, code)
	}
	if status == http.StatusUnprocessableEntity {
		return r.Text("detail", 0, "msg")
	}
	return r.Text("errors", 0, "message")
}

// Code is the error code of a refusal; empty for anything else.
func (r Reply) Code() string {
	var body struct {
		Errors []struct {
			ErrorCode string `json:"errorCode"`
		} `json:"errors"`
	}
	if json.Unmarshal(r.Body, &body) != nil || len(body.Errors) == 0 {
		return ""
	}
	return body.Errors[0].ErrorCode
}

// Value returns the value at a path of names and indexes of the body, or nil. Numbers are
// json.Number.
func (r Reply) Value(path ...any) any {
	r.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	var at any
	if err := decoder.Decode(&at); err != nil {
		r.t.Fatalf("%s: %v", r, err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := at.(map[string]any)
			at = object[step]
		case int:
			list, _ := at.([]any)
			if step >= len(list) {
				return nil
			}
			at = list[step]
		default:
			r.t.Fatalf("a path has names and indexes, not %T", step)
		}
	}
	return at
}

// Text is Value as text: a string as it is, null and nothing as the empty string,
// anything else as JSON.
func (r Reply) Text(path ...any) string {
	r.t.Helper()
	switch value := r.Value(path...).(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		return strings.TrimSpace(string(encode(r.t, value)))
	}
}

// Response is Text below the envelope's response.
func (r Reply) Response(path ...any) string {
	r.t.Helper()
	return r.Text(append([]any{"response"}, path...)...)
}

// Items are the texts at a path of each item of a page.
func (r Reply) Items(path ...any) []string {
	r.t.Helper()
	list, ok := r.Value("response", "items").([]any)
	if !ok {
		r.t.Fatalf("%s: no page", r)
	}
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = r.Response(append([]any{"items", i}, path...)...)
	}
	return texts
}
