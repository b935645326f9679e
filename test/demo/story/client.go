package story

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// person is a user of a service, with a token.
type person struct {
	story *story
	base  string // URL of the service
	name  string
	token string // none when empty
	key   string // Idempotency-Key, if any
}

func (p person) get(path string) *answer            { return p.call(http.MethodGet, path, nil) }
func (p person) post(path string, body any) *answer { return p.call(http.MethodPost, path, body) }
func (p person) put(path string, body any) *answer  { return p.call(http.MethodPut, path, body) }
func (p person) decide(task string, d object) *answer {
	return p.post("/v1/wf/tasks/"+task+"/decision", d)
}

// object is a JSON object.
type object map[string]any

// answer is a reply. Its methods check and print it. After the first difference they do nothing.
type answer struct {
	*printer
	status int
	header http.Header
	raw    []byte
	body   any // response of the envelope; the whole document when there is none
	errors []any
}

const (
	maxAnswer = 4 << 20
	patience  = 5 * time.Minute // for a reply, a webhook or a change
)

// call sends a request and prints its first line.
func (p person) call(method, path string, body any) *answer {
	a := &answer{printer: p.story.printer}
	if a.err != nil {
		return a
	}
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			a.fail("encode the body of %s %s: %w", method, path, err)
			return a
		}
	}
	a.line("%s: %s %s %.100s", p.name, method, path, encoded)
	if err := a.send(p, method, path, encoded); err != nil {
		a.fail("%w", err)
	}
	return a
}

// poll reads a resource until a member has a value.
func (p person) poll(path, name string, want any) *answer {
	a := &answer{printer: p.story.printer}
	if a.err != nil {
		return a
	}
	a.line("%s: GET %s, repeatedly", p.name, path)
	ctx, cancel := context.WithTimeout(p.story.ctx, patience)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := a.send(p, http.MethodGet, path, nil); err != nil {
			a.fail("%w", err)
			return a
		}
		if got, _ := member(a.body, name); text(got) == text(want) {
			return a.is(http.StatusOK).has(name, want)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			a.fail("%s does not become %s: %w: %s", name, text(want), ctx.Err(), a.raw)
			return a
		}
	}
}

func (a *answer) send(p person, method, path string, body []byte) error {
	req, err := http.NewRequestWithContext(p.story.ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	if p.key != "" {
		req.Header.Set("Idempotency-Key", p.key)
	}
	res, err := p.story.http.Do(req)
	if err != nil {
		return fmt.Errorf("no reply; make run starts the services: %w", err)
	}
	defer res.Body.Close()
	a.status, a.header = res.StatusCode, res.Header
	if a.raw, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer)); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	document := object{}
	numbers := json.NewDecoder(bytes.NewReader(a.raw))
	numbers.UseNumber()
	if err := numbers.Decode(&document); err != nil {
		return fmt.Errorf("read the answer %q: %w", a.raw, err)
	}
	a.body = map[string]any(document)
	if response, enveloped := document["response"]; enveloped {
		a.body = response
		a.errors, _ = document["errors"].([]any)
	}
	return nil
}

// is expects success.
func (a *answer) is(status int) *answer {
	if a.err == nil && (a.status != status || len(a.errors) != 0) {
		a.fail("answered %d, want %d: %s", a.status, status, a.raw)
	}
	a.line("%s", strconv.Itoa(status))
	return a
}

// refused expects an error with this code.
func (a *answer) refused(status int, code string) {
	if a.err != nil {
		return
	}
	got, _ := member(a.errors, "0.errorCode")
	if a.status != status || a.body != nil || len(a.errors) != 1 || got != code {
		a.fail("answered %d, want %d %s: %s", a.status, status, code, a.raw)
	}
	message, _ := member(a.errors, "0.message")
	a.line("%s  %s", fmt.Sprintf("%d %s", status, code), message)
}

// has expects a value of a member, such as stages.0.status.
func (a *answer) has(path string, want any) *answer {
	if a.err != nil {
		return a
	}
	got, ok := member(a.body, path)
	if !ok || text(got) != text(want) {
		a.fail("%s is %s, want %s: %s", path, text(got), text(want), a.raw)
	}
	a.line("     %s = %s", path, text(want))
	return a
}

// value returns a member of the response.
func (a *answer) value(path string) string {
	if a.err != nil {
		return ""
	}
	got, ok := member(a.body, path)
	s, isText := got.(string)
	if !ok || !isText {
		a.fail("no text at %s: %s", path, a.raw)
	}
	return s
}

// list returns the elements of a list of the response.
func (a *answer) list(path string) []any {
	got, _ := member(a.body, path)
	list, ok := got.([]any)
	if a.err == nil && !ok {
		a.fail("no list at %s: %s", path, a.raw)
	}
	return list
}

// taskOf returns the id of the task of an assignee.
func (a *answer) taskOf(assignee string) string {
	for i := range a.list("tasks") {
		task := fmt.Sprintf("tasks.%d.", i)
		if holder, _ := member(a.body, task+"assignee.id"); holder == assignee {
			return a.value(task + "id")
		}
	}
	a.fail("%s has no task: %s", assignee, a.raw)
	return ""
}

// member follows a path of names and indexes, joined by dots.
func member(v any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch container := v.(type) {
		case map[string]any:
			inner, ok := container[name]
			if !ok {
				return nil, false
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(container) {
				return nil, false
			}
			v = container[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// text returns a value as JSON, for comparisons: 2 equals json.Number("2").
func text(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}
