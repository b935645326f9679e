package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// client calls the API.
type client struct {
	base  *url.URL
	token func(context.Context) (string, error)
	etag  string // of If-None-Match, if set
	http  *http.Client
}

const maxAnswer = 32 << 20

// refusal is a reply without success.
type refusal struct {
	status  int
	code    string
	message string
}

func (r *refusal) Error() string {
	if r.code == "" {
		return r.message
	}
	return r.message + " (" + r.code + ")"
}

// get reads the resource at a path.
func (c *client) get(ctx context.Context, path string, into any) error {
	raw, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// send makes a call and returns the content of the envelope.
func (c *client) send(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	var content io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.base.String(), "/")+path, content)
	if err != nil {
		return nil, err
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "wf-cli/1")
	if c.etag != "" {
		request.Header.Set("If-None-Match", c.etag)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the service at %s cannot be reached: %w", c.base.Host, errors.Unwrap(err))
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", c.base.Host, err)
	}
	return readReply(response.StatusCode, raw)
}

// readReply returns the value of a reply, or its refusal.
func readReply(status int, raw []byte) (json.RawMessage, error) {
	var answer struct {
		Response json.RawMessage
		Errors   []struct{ ErrorCode, Message string }
		Detail   []struct {
			Loc []any
			Msg string
		}
	}
	unknown := &refusal{status: status, message: fmt.Sprintf("the answer is not of wf: HTTP status %d", status)}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, unknown
	}
	switch {
	case status >= 200 && status < 300 && answer.Response != nil:
		return answer.Response, nil
	case len(answer.Errors) > 0:
		r := &refusal{status: status, code: answer.Errors[0].ErrorCode, message: sanitize(answer.Errors[0].Message)}
		if status == http.StatusUnauthorized {
			r.message = "the service does not accept the token: wf login, or another WF_TOKEN"
		}
		return nil, r
	case len(answer.Detail) > 0:
		var found []string
		for _, d := range answer.Detail {
			var where []string
			for _, step := range d.Loc {
				where = append(where, fmt.Sprint(step))
			}
			found = append(found, sanitize(strings.Join(where, ".")+": "+d.Msg))
		}
		return nil, &refusal{status: status, message: strings.Join(found, "\n")}
	default:
		return nil, unknown
	}
}

// requestOf returns the request of an id, and the task if the id is a task's. A missing task is
// refused with 403 like a task of others, so the id is then used as a request id.
func (c *client) requestOf(ctx context.Context, id string) (request, task string, err error) {
	var found struct {
		RequestID string `json:"request_id"`
	}
	err = c.get(ctx, "/v1/wf/tasks/"+url.PathEscape(id), &found)
	if r, ok := errors.AsType[*refusal](err); ok && (r.status == http.StatusNotFound || r.status == http.StatusForbidden) {
		return id, "", nil
	}
	return found.RequestID, id, err
}

// taskOf returns the task with the id, or the caller's task in the request with the id.
func (c *client) taskOf(ctx context.Context, id string) (string, error) {
	request, task, err := c.requestOf(ctx, id)
	if err != nil || task != "" {
		return task, err
	}
	if _, err := c.send(ctx, http.MethodGet, "/v1/wf/requests/"+url.PathEscape(id), nil); err != nil {
		return "", err // missing, or not readable for the caller
	}
	var page struct{ Items []taskItem }
	query := url.Values{"inbox": {"me"}, "status": {"open,claimed"}, "request_id": {request}}
	if err := c.get(ctx, "/v1/wf/tasks?"+query.Encode(), &page); err != nil {
		return "", err
	}
	// Tasks of the same stage are equivalent.
	other := func(t taskItem) bool { return t.StageKey != page.Items[0].StageKey }
	switch {
	case len(page.Items) == 0:
		return "", fmt.Errorf("no task of request %s waits for you", id)
	case slices.ContainsFunc(page.Items, other):
		var ids []string
		for _, t := range page.Items {
			ids = append(ids, t.ID+" (stage "+string(t.StageKey)+")")
		}
		return "", fmt.Errorf("several tasks of request %s wait for you: name one of\n%s", id, strings.Join(ids, "\n"))
	default:
		return page.Items[0].ID, nil
	}
}

// comments returns all comments of a request.
func (c *client) comments(ctx context.Context, request string) ([]comment, error) {
	var all []comment
	query := url.Values{"limit": {"200"}}
	for {
		var page struct {
			Items      []comment
			NextCursor *string `json:"next_cursor"`
		}
		if err := c.get(ctx, "/v1/wf/requests/"+url.PathEscape(request)+"/comments?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Items...); page.NextCursor == nil {
			return all, nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

// contentOf returns the content hash of a task's request.
func (c *client) contentOf(ctx context.Context, task string) (string, error) {
	request, _, err := c.requestOf(ctx, task)
	if err != nil {
		return "", err
	}
	var seen struct {
		ContextHash string `json:"context_hash"`
	}
	err = c.get(ctx, "/v1/wf/requests/"+url.PathEscape(request), &seen)
	return seen.ContextHash, err
}
