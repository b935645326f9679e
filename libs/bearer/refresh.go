package bearer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	refreshEvery = 5 * time.Minute
	retryEvery   = 30 * time.Second // after a failure, while older keys are valid
	startEvery   = time.Second      // until the first success

	fetchTime = 3 * time.Second // for discovery and keys together

	forcedWait    = time.Second      // wait of a caller
	forcedEvery   = 30 * time.Second // after a forced refresh that changed nothing
	forcedChanged = time.Second      // after one with a new set
	forcedLogout  = 30 * time.Second // later for a logout token, which needs no valid caller
)

// Run refreshes the keys until ctx ends, and then returns nil. It logs a failed refresh and
// keeps the keys, which are valid for 24 hours after the last successful fetch. With static keys
// it only waits.
func (v *Verifier) Run(ctx context.Context) error {
	if keys := v.snapshot.Load(); keys != nil && keys.static {
		<-ctx.Done()
		return nil
	}
	for {
		wait := refreshEvery
		select {
		case result := <-v.flight.DoChan("", func() (any, error) { return nil, v.refresh() }):
			if result.Err != nil {
				wait = retryEvery
			}
		case <-ctx.Done():
			return nil
		}
		if !v.Ready() {
			wait = startEvery
		}
		// Jitter separates replicas that start together.
		timer := time.NewTimer(time.Duration(float64(wait) * (0.9 + 0.2*rand.Float64()))) // #nosec G404 -- jitter
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// Refresh fetches the keys once. Static keys need no fetch.
func (v *Verifier) Refresh() error {
	if keys := v.snapshot.Load(); keys != nil && keys.static {
		return nil
	}
	_, err, _ := v.flight.Do("", func() (any, error) { return nil, v.refresh() })
	return err
}

// Ready reports whether tokens can be verified: a key set was fetched within the last 24 hours,
// or is static.
func (v *Verifier) Ready() bool { return v.snapshot.Load().isUsable(v.config.Now()) }

// Stats are the values of the metrics.
type Stats struct {
	KeysSeen time.Time // time of the last successful fetch; zero before it, and for static keys
	Fetches  uint64    // attempts to fetch keys
	Failures uint64    // failed attempts, invalid sets included
}

// Stats returns the current values.
func (v *Verifier) Stats() Stats {
	s := Stats{Fetches: v.fetches.Load(), Failures: v.failures.Load()}
	if keys := v.snapshot.Load(); keys != nil {
		s.KeysSeen = keys.fetched
	}
	return s
}

// newerKeys refreshes the keys for a token whose key id is not in held. It returns the latest
// keys at the end of the refresh or of the wait.
//
// Any caller can send unknown key ids, so after a refresh without a change the next forced one
// starts 30 seconds later at the earliest. After a new set the interval is one second, because
// the issuer may rotate again. later delays the refreshes for one kind of token further.
func (v *Verifier) newerKeys(ctx context.Context, held *snapshot, later time.Duration) *snapshot {
	due := func() bool { return v.config.Now().Add(-later).UnixNano() >= v.nextForced.Load() }
	if held.static || !due() {
		return v.snapshot.Load()
	}
	done := v.flight.DoChan("", func() (any, error) {
		if !due() { // another refresh has just ended
			return nil, nil
		}
		before := v.snapshot.Load().keySet
		err := v.refresh()
		pause := forcedEvery
		if v.snapshot.Load().keySet != before {
			pause = forcedChanged
		}
		v.nextForced.Store(v.config.Now().Add(pause).UnixNano())
		return nil, err
	})
	ctx, cancel := context.WithTimeout(ctx, forcedWait)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return v.snapshot.Load()
}

// refresh fetches the keys once and installs them. One goroutine runs it at a time, with its own
// context, because several callers can wait for it.
func (v *Verifier) refresh() error {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	v.fetches.Add(1)
	set, err := v.fetchKeys(ctx)
	if err != nil {
		v.failures.Add(1)
		v.throttle.LogFailure(ctx, v.log, slog.LevelError, "keys not refreshed", "issuer", v.config.Issuer, "error", err)
		return err
	}
	v.throttle.LogRecovery(ctx, v.log, "keys refreshed again", "issuer", v.config.Issuer)
	if held := v.snapshot.Load(); held != nil && held.digest == set.digest {
		set = held.keySet // with its cache of verified tokens
	} else {
		v.log.Info("keys changed", "issuer", v.config.Issuer, "keys", len(set.keys))
	}
	v.snapshot.Store(&snapshot{keySet: set, fetched: v.config.Now()})
	return nil
}

func (v *Verifier) fetchKeys(ctx context.Context) (*keySet, error) {
	address := v.config.JWKSURL
	if address == "" {
		var err error
		if address, err = v.discover(ctx); err != nil {
			return nil, fmt.Errorf("discovery: %w", err)
		}
	}
	document, err := v.fetch(ctx, address, "application/json", "application/jwk-set+json")
	if err != nil {
		return nil, err
	}
	return parseKeys(document)
}

// discoveryURL returns the URL of an issuer's metadata (OpenID Connect Discovery 1.0 §4).
func discoveryURL(issuer string) string {
	return strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
}

// discover returns the URL of the key set. Its host must be the issuer's, so that a forged document
// cannot name another server.
func (v *Verifier) discover(ctx context.Context) (string, error) {
	document, err := v.fetch(ctx, discoveryURL(v.config.Issuer), "application/json")
	if err != nil {
		return "", err
	}
	members, err := decodeObject(document)
	if err != nil {
		return "", err
	}
	if members["issuer"] != v.config.Issuer {
		return "", errors.New("the document names another issuer")
	}
	address, _ := members["jwks_uri"].(string)
	keys, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	issuer, err := url.Parse(v.config.Issuer)
	if err != nil {
		return "", err
	}
	if keys.Host != issuer.Host { // the client checks the scheme
		return "", fmt.Errorf("jwks_uri has host %q, the issuer has %q", keys.Host, issuer.Host)
	}
	return address, nil
}

// fetch returns a document of one of the media types.
func (v *Verifier) fetch(ctx context.Context, address string, types ...string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", strings.Join(types, ", "))
	response, err := v.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: status %d", address, response.StatusCode)
	}
	header := response.Header.Get("Content-Type")
	if got, _, err := mime.ParseMediaType(header); err != nil || !slices.Contains(types, got) {
		return nil, fmt.Errorf("get %s: content type %q", address, header)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", address, err)
	}
	if len(body) > maxDocument {
		return nil, fmt.Errorf("get %s: more than %d bytes", address, maxDocument)
	}
	return body, nil
}
