package resolve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	maxAnswer = 256 << 10 // bytes
	maxTTL    = time.Hour // of a resolver's answer
)

// CheckRule rejects an http rule without an answer: its name is not configured, its URL is not permitted, or
// the service has no key to sign for it.
func (r *Resolver) CheckRule(rule policy.Rule) error {
	switch {
	case (rule.Resolver == "") == (rule.URL == ""):
		return errors.New("must have either resolver or url")
	case rule.URL == "":
		if _, known := r.Endpoints[rule.Resolver]; !known {
			return fmt.Errorf("no resolver %s is configured", rule.Resolver)
		}
		return nil
	}
	if err := r.Outbound.CheckURL(rule.URL); err != nil {
		return err
	}
	if _, err := r.Sign(outbox.Target{URL: rule.URL}, "", time.Time{}, nil); err != nil {
		return errors.New("the host is not one of the allowed resolver hosts")
	}
	return nil
}

// askHTTP sends a question to a resolver, and returns the lifetime of the answer.
func (r *Resolver) askHTTP(ctx context.Context, q approver.Question) ([]identity.User, time.Duration, error) {
	if err := r.CheckRule(q.Rule); err != nil { // the configuration may have changed since the rule was written
		return nil, 0, refusal.New(reason.EngineRefused, "%s: %s", describe(q.Rule), err)
	}
	request, err := r.newSignedRequest(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	status, body, err := call(r.client, request, maxAnswer)
	switch {
	case err != nil:
		return nil, 0, err
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return nil, 0, refusal.New(reason.EngineRefused, "%s returned %d: it rejects the context", describe(q.Rule), status)
	case status < 200 || status > 299:
		return nil, 0, fmt.Errorf("the resolver returned %d", status)
	}
	return readAnswer(body)
}

// newSignedRequest returns the message to the resolver. It is signed like a webhook, so that the resolver can
// authenticate the service. A retry sends the same message.
func (r *Resolver) newSignedRequest(ctx context.Context, q approver.Question) (*retryablehttp.Request, error) {
	target := outbox.Target{URL: q.Rule.URL}
	if q.Rule.Resolver != "" {
		target = outbox.Target{Endpoint: q.Rule.Resolver, URL: r.Endpoints[q.Rule.Resolver]}
	}
	body, err := json.Marshal(q.About)
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, target.URL, body)
	if err != nil {
		return nil, err
	}
	id, at := uuid.Must(uuid.NewV7()).String(), r.Now()
	signature, err := r.Sign(target, id, at, body)
	if err != nil {
		return nil, fmt.Errorf("sign the question: %w", err)
	}
	for name, value := range map[string]string{
		standardwebhooks.HeaderWebhookID:        id,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(at.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: signature,

		"Content-Type": "application/json",
		"Accept":       "application/json",
	} {
		request.Header.Set(name, value)
	}
	return request, nil
}

// readAnswer reads {"user_ids": […]} or {"users": […], "cache_ttl": seconds}.
func readAnswer(body []byte) ([]identity.User, time.Duration, error) {
	var said struct {
		UserIDs  *[]string        `json:"user_ids"`
		Users    *[]identity.User `json:"users"`
		CacheTTL int64            `json:"cache_ttl"`
	}
	if err := decode(body, &said); err != nil {
		return nil, 0, err
	}
	if (said.UserIDs == nil) == (said.Users == nil) {
		return nil, 0, errors.New("the answer must have either user_ids or users")
	}
	var users []identity.User
	if said.Users != nil {
		users = *said.Users
	} else {
		for _, id := range *said.UserIDs {
			users = append(users, identity.User{ID: id})
		}
	}
	for _, u := range users { // one malformed user makes the answer malformed
		if err := identity.CheckUserID(u.ID); err != nil {
			return nil, 0, fmt.Errorf("the answer has an invalid user: %w", err)
		}
	}
	var found people
	for _, u := range users {
		if err := found.add(u); err != nil {
			return nil, 0, err
		}
	}
	lasts := time.Duration(min(max(said.CacheTTL, 0), int64(maxTTL/time.Second))) * time.Second
	return found.users, lasts, nil
}
