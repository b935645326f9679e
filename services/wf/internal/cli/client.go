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
	"strings"
)

// client calls the API.
type client struct {
	base  *url.URL
	token func() (string, error)
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

// post returns the call of [Settings.ask] that posts to a path.
func post(path string, body any) func(context.Context, *client) (json.RawMessage, error) {
	return func(ctx context.Context, c *client) (json.RawMessage, error) {
		return c.send(ctx, http.MethodPost, path, body)
	}
}

func requestPath(id string) string { return "/v1/wf/requests/" + url.PathEscape(id) }

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
	token, err := c.token()
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
			r.message = "the service does not accept the token of WF_TOKEN"
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
