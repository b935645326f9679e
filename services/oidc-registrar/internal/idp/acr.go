package idp

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// acrs selects the ACRs of a client for the provider. default_acr_values is defined by OpenID
// Connect, not by RFC 7591. Providers without support refuse the client or misinterpret it.
type acrs struct {
	caller *caller
	url    string // of the provider's metadata; empty for none

	mu    sync.Mutex
	known []string // acr_values_supported
	read  time.Time
}

// acrAge is the lifetime of the cached provider metadata.
const acrAge = time.Hour

// sentACRs returns the ACRs of c to send to the provider.
func (s *acrs) sentACRs(ctx context.Context, c registrar.Client) ([]string, error) {
	if s.url == "" || len(c.ACRs) == 0 {
		return nil, nil
	}
	known, err := s.supportedACRs(ctx)
	return slices.DeleteFunc(slices.Clone(c.ACRs), func(acr string) bool { return !slices.Contains(known, acr) }), err
}

// supportedACRs returns the ACRs in the provider's metadata.
func (s *acrs) supportedACRs(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	known, read := s.known, s.read
	s.mu.Unlock()
	if s.caller.now().Sub(read) < acrAge {
		return known, nil
	}
	a, err := send(ctx, s.caller.client, http.MethodGet, s.url, nil, http.Header{"Accept": {"application/json"}})
	if err != nil {
		return nil, err
	}
	var metadata struct {
		ACRs []string `json:"acr_values_supported"`
	}
	if a.status != http.StatusOK {
		return nil, unreachableError("metadata: status %d", a.status)
	}
	if err := a.decode(&metadata); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.read = metadata.ACRs, s.caller.now()
	return s.known, nil
}
