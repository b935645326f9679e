package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
)

// Settings holds the flags of every command.
type Settings struct {
	daemon.Dev
	URL      string        `env:"URL" default:"http://127.0.0.1:8081" help:"Address of the service."`
	Output   string        `short:"o" enum:"text,json" default:"text" help:"text or json."`
	DevToken bool          `name:"dev" env:"DEV" help:"Use tokens of the development issuer, for a service that runs with --dev."`
	Token    daemon.Secret `env:"TOKEN" help:"Access token. Required without --dev."`
	As       string        `default:"ana" help:"With --dev: user id of the token."`
	Role     []string      `help:"With --dev: a role; may be repeated."`
}

// callTime bounds one call.
const callTime = 30 * time.Second

// ask calls the service and prints the reply, as JSON or with a template.
func (s *Settings) ask(
	w *daemon.Process, text string, said any, call func(context.Context, *client) (json.RawMessage, error),
) error {
	api, err := s.client()
	if err != nil {
		return err
	}
	answer, err := call(w.Context, api)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, said); err != nil {
		return err
	}
	if s.Output == "json" {
		_, err = fmt.Fprintf(w.Out, "%s\n", answer)
		return err
	}
	return texts.ExecuteTemplate(w.Out, text, said)
}

func (s *Settings) client() (*client, error) {
	base, err := parseURL(s.URL)
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	return &client{base: base, token: s.token, http: newHTTP(callTime)}, nil
}

// token returns the token of the development issuer with --dev, else Token.
func (s *Settings) token() (string, error) {
	switch {
	case s.DevToken:
		return daemon.DevToken(s.DataDir, bearer.DevToken{Subject: s.As, Audience: s.AuthAudience, Roles: s.Role, TTL: time.Minute})
	case s.Token == "":
		return "", errors.New("WF_TOKEN is required: an access token for the service; for a service with --dev use --dev")
	}
	return string(s.Token), nil
}

// parseURL parses a URL to which a token may be sent: https, or a loopback host.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil { // it may contain a password
		return nil, errors.New("must be an address such as https://approvals.example.org, without a user")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return u, nil
	}
	return nil, fmt.Errorf("%s would be sent your token without encryption: use https", u.Host)
}

// newHTTP returns a client that follows no redirects, so that tokens reach only the configured
// host.
func newHTTP(limit time.Duration) *http.Client {
	return &http.Client{
		Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
