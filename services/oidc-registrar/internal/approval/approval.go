// Package approval is the client of wf, the approval service. It creates, reads and cancels
// requests and verifies webhooks. Its callers act on the results.
package approval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox/signing"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

const (
	callTimeout = 10 * time.Second
	maxAnswer   = 1 << 20 // of a request with its tasks
)

// Options holds the address of wf, the credentials for it, and the secret of its webhooks.
type Options struct {
	URL string // before /v1/wf

	// TokenURL is the token endpoint for client credentials (RFC 6749 §4.4). Without it, Token
	// returns the token.
	TokenURL     string
	ClientID     string
	ClientSecret registrar.Secret
	Token        func() (string, error)

	WebhookSecret registrar.Secret // whsec_ and the base64 of 24 to 64 bytes
	Egress        egress.Policy
}

// Service is a client of wf. It is safe for concurrent use.
type Service struct {
	base   string
	http   *http.Client
	secret *standardwebhooks.Webhook
}

// New returns a client of wf.
func New(o Options) (*Service, error) {
	o.Egress.Total = cmp.Or(o.Egress.Total, callTimeout)
	if err := o.Egress.Validate(); err != nil {
		return nil, err
	}
	if err := signing.CheckSecret(string(o.WebhookSecret)); err != nil {
		return nil, fmt.Errorf("REGISTRAR_APPROVAL_WEBHOOK_SECRET: %w", err)
	}
	secret, err := standardwebhooks.NewWebhook(string(o.WebhookSecret))
	if err != nil {
		return nil, errors.New("REGISTRAR_APPROVAL_WEBHOOK_SECRET: must be whsec_ and base64")
	}
	plain := egress.New(o.Egress)
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, plain)
	var tokens oauth2.TokenSource
	if o.TokenURL != "" {
		config := clientcredentials.Config{
			TokenURL: o.TokenURL, ClientID: o.ClientID, ClientSecret: string(o.ClientSecret), AuthStyle: oauth2.AuthStyleInHeader,
		}
		tokens = config.TokenSource(ctx)
	} else {
		tokens = given(o.Token)
	}
	// Not oauth2.NewClient, which caches a token without an expiry forever.
	client := &http.Client{Transport: &oauth2.Transport{Base: plain.Transport, Source: tokens}, CheckRedirect: plain.CheckRedirect}
	return &Service{base: strings.TrimRight(o.URL, "/"), http: client, secret: secret}, nil
}

// given is a token source without client credentials.
type given func() (string, error)

func (g given) Token() (*oauth2.Token, error) {
	token, err := g()
	return &oauth2.Token{AccessToken: token}, err
}

// Ask creates a request for an approval. It is idempotent.
func (s *Service) Ask(ctx context.Context, a registrar.Approval) (registrar.Verdict, error) {
	kind, id := a.Artifact()
	request := map[string]any{
		"policy_key": a.Policy, "title": a.Title, "artifact_type": kind, "artifact_id": id,
		"context": json.RawMessage(a.Context),
	}
	if requester := a.Person(); requester != "" { // else the service account
		request["requester"] = requester
	}
	return s.call(ctx, http.MethodPost, "/v1/wf/requests", a.IdempotencyKey(), request)
}

// Verdict reads the state of the request for an approval.
func (s *Service) Verdict(ctx context.Context, a registrar.Approval) (registrar.Verdict, error) {
	verdict, err := s.call(ctx, http.MethodGet, "/v1/wf/requests/"+url.PathEscape(a.RequestID), "", nil)
	if failure, ok := errors.AsType[*Failure](err); ok && failure.Code == "WF-003" {
		return registrar.Verdict{Status: "unknown"}, nil
	}
	return verdict, err
}

// Cancel cancels a request. It does not change a finished one.
func (s *Service) Cancel(ctx context.Context, id string) error {
	_, err := s.call(ctx, http.MethodPost, "/v1/wf/requests/"+url.PathEscape(id)+"/cancel", "", map[string]any{"reason": "the registration has changed"})
	if failure, ok := errors.AsType[*Failure](err); ok &&
		(failure.Code == "WF-007" && failure.Status == http.StatusConflict || failure.Code == "WF-003") {
		return nil
	}
	return err
}

// Check reads the caller's own page of wf, which needs a valid token.
func (s *Service) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	res, err := s.send(ctx, http.MethodGet, "/v1/wf/me", "", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, err = read(res)
	}
	return err
}

// Failure is an error response of wf.
type Failure struct {
	Status  int
	Code    string // such as WF-001
	Message string
}

func (f *Failure) Error() string {
	return fmt.Sprintf("wf answered %d %s: %s", f.Status, f.Code, f.Message)
}

func (s *Service) call(ctx context.Context, method, path, key string, body any) (registrar.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	res, err := s.send(ctx, method, path, key, body)
	if err != nil {
		return registrar.Verdict{}, err
	}
	defer res.Body.Close()
	return read(res)
}

func (s *Service) send(ctx context.Context, method, path, key string, body any) (*http.Response, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode a call to wf: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("call wf: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := s.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, req.URL.Host, withoutAnswer(err))
	}
	return res, nil
}

// withoutAnswer removes the answer of a token endpoint and addresses from an error.
func withoutAnswer(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return fmt.Errorf("the token endpoint answered with status %d", refused.Response.StatusCode)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// read parses the state of a request from an answer.
func read(res *http.Response) (registrar.Verdict, error) {
	var envelope struct {
		Response *struct {
			ID          string `json:"id"`
			Status      string `json:"status"`
			ContextHash string `json:"context_hash"`
			Reason      struct {
				Message string `json:"message"`
			} `json:"status_reason"`
			Standing   registrar.Standing `json:"standing"`
			ValidFrom  time.Time          `json:"valid_from"`
			ValidUntil time.Time          `json:"valid_until"`
			EndReason  string             `json:"end_reason"`
		} `json:"response"`
		Errors []struct {
			Code    string `json:"errorCode"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(data, &envelope)
	}
	switch r := envelope.Response; {
	case res.StatusCode >= 300:
		failure := &Failure{Status: res.StatusCode}
		if err == nil && len(envelope.Errors) > 0 {
			failure.Code, failure.Message = envelope.Errors[0].Code, envelope.Errors[0].Message
		}
		return registrar.Verdict{}, failure
	case err != nil:
		return registrar.Verdict{}, fmt.Errorf("read the answer of wf: %w", err)
	case r == nil || r.ID == "" || r.ContextHash == "":
		return registrar.Verdict{}, fmt.Errorf("wf answered %d without a request", res.StatusCode)
	default:
		return registrar.Verdict{
			RequestID: r.ID, ContextHash: r.ContextHash, Status: r.Status, Comment: r.Reason.Message,
			Standing: r.Standing, ValidFrom: r.ValidFrom, ValidUntil: r.ValidUntil, EndReason: r.EndReason,
		}, nil
	}
}

// ErrForged reports a webhook with an invalid signature, an old timestamp or an invalid body.
var ErrForged = errors.New("the webhook has no valid signature of Standard Webhooks, or is not recent")

// VerifyWebhook verifies a webhook and returns the id of its request, or an empty id if it concerns
// something else. It does not return the state of the request: use Verdict.
func (s *Service) VerifyWebhook(header http.Header, body []byte) (string, error) {
	if s.secret.Verify(body, header) != nil {
		return "", ErrForged
	}
	var event struct {
		Data struct {
			Request struct {
				ID string `json:"id"`
			} `json:"request"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return "", fmt.Errorf("%w: %w", ErrForged, err)
	}
	return event.Data.Request.ID, nil
}
