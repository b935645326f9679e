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

// withKey returns the person with an Idempotency-Key for their calls.
func (p person) withKey(key string) person {
	p.key = key
	return p
}

func (p person) get(path string) *answer            { return p.call(http.MethodGet, path, nil) }
func (p person) post(path string, body any) *answer { return p.call(http.MethodPost, path, body) }
func (p person) put(path string, body any) *answer  { return p.call(http.MethodPut, path, body) }
func (p person) patch(path string, b any) *answer   { return p.call(http.MethodPatch, path, b) }
func (p person) delete(path string) *answer         { return p.call(http.MethodDelete, path, nil) }
func (p person) decide(task string, d object) *answer {
	return p.post("/v1/wf/tasks/"+task+"/decision", d)
}

// object is a JSON object.
type object map[string]any

// answer is a reply. Its methods check and print it. After the first difference they do nothing.
type answer struct {
	*teller
	status int
	header http.Header
	raw    []byte
	body   any // response of the envelope; the whole document when there is none
	errors []any
}

const (
	maxAnswer = 4 << 20
	maxShown  = 100 // longer request bodies are not printed
)

// call sends a request and prints its first line.
func (p person) call(method, path string, body any) *answer {
	a := &answer{teller: p.story.teller}
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
	shown := ""
	if 0 < len(encoded) && len(encoded) <= maxShown {
		shown = " " + string(encoded)
	}
	a.line("%s: %s %s%s", p.name, method, path, shown)
	if err := a.send(p, method, path, encoded); err != nil {
		a.fail("%w", err)
	}
	return a
}

// poll reads a resource until a member has a value.
func (p person) poll(path, name string, want any) *answer {
	a := &answer{teller: p.story.teller}
	if a.err != nil {
		return a
	}
	a.line("%s: GET %s, repeatedly", p.name, path)
	ctx, cancel := context.WithTimeout(p.story.ctx, 30*time.Second)
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
	a.line("%s", a.paint(green, strconv.Itoa(status)))
	return a
}

// expectCodes expects errors with these codes, in this order.
func (a *answer) expectCodes(status int, codes ...string) *answer {
	if a.err != nil {
		return a
	}
	right := a.status == status && a.body == nil && len(a.errors) == len(codes)
	for i, code := range codes {
		if got, _ := member(a.errors, strconv.Itoa(i)+".errorCode"); got != code {
			right = false
		}
	}
	if !right {
		a.fail("answered %d, want %d %s: %s", a.status, status, strings.Join(codes, ", "), a.raw)
	}
	for i, code := range codes {
		message, ok := member(a.errors, strconv.Itoa(i)+".message")
		if !ok { // the provider API of the registrar has another name
			message, _ = member(a.errors, strconv.Itoa(i)+".errorMessage")
		}
		a.line("%s  %s", a.paint(green, fmt.Sprintf("%d %s", status, code)), message)
	}
	return a
}

// lacks expects that the answer does not contain a secret.
func (a *answer) lacks(secret string) {
	if a.err == nil && bytes.Contains(a.raw, []byte(secret)) {
		a.fail("the answer repeats a secret")
	}
}

// invalid expects status 422 without the envelope, with a problem of this type at this place.
func (a *answer) invalid(problem, place string) {
	if a.err != nil {
		return
	}
	details, _ := member(a.body, "detail")
	list, _ := details.([]any)
	for _, detail := range list {
		kind, _ := member(detail, "type")
		message, _ := member(detail, "msg")
		loc, _ := member(detail, "loc")
		steps, _ := loc.([]any)
		at := strings.Trim(fmt.Sprint(steps), "[]")
		if a.status == http.StatusUnprocessableEntity && kind == problem && at == place {
			a.line("%s  %s: %s: %s", a.paint(green, "422"), at, kind, message)
			return
		}
	}
	a.fail("answered %d, want 422 with %s at %s: %s", a.status, problem, place, a.raw)
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

// hasHeader expects a header.
func (a *answer) hasHeader(name, want string) *answer {
	if a.err != nil {
		return a
	}
	if got := a.header.Get(name); got != want {
		a.fail("header %s is %q, want %q", name, got, want)
	}
	a.line("     %s: %s", name, want)
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
	if a.err != nil {
		return nil
	}
	got, _ := member(a.body, path)
	list, ok := got.([]any)
	if !ok {
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
