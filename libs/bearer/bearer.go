// Package bearer verifies bearer tokens: JWTs signed by the issuer of a service
// (RFC 6750, RFC 7519, RFC 9068).
//
// The checks follow RFC 8725 in a fixed order: size and alphabet, strict base64url and
// JSON, header, key, signature, claims. A library verifies the signature and parses single
// keys. The header of a token only selects a key of the fetched set; URLs in it are ignored.
//
// Requests do not wait for the network. The keys are a snapshot that [Verifier.Run]
// refreshes. Only a token with an unknown key id may wait for a refresh, for at most
// one second.
//
// Out of scope: opaque tokens, encrypted tokens, introspection and revocation.
// A token is valid until it expires, so issue short-lived tokens.
package bearer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"
	"golang.org/x/sync/singleflight"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/oplog"
)

var (
	// ErrInvalid matches every refusal of a token (401). The refusal itself is a [Reason].
	ErrInvalid = errors.New("bearer token is invalid")

	// ErrUnavailable means that no token can be verified, because no keys were fetched or
	// they are too old (503).
	ErrUnavailable = errors.New("signing keys are unavailable")
)

// Reason is the reason of a refused token: one of a few fixed phrases, usable as a label of a
// metric. It is not sent to the caller, because it would help to improve a forgery.
type Reason string

func (r Reason) Error() string { return ErrInvalid.Error() + ": " + string(r) }

// Is makes every Reason match [ErrInvalid].
func (r Reason) Is(target error) bool { return target == ErrInvalid }

// Config holds the accepted issuer and audience of tokens and the source of the issuer's keys.
type Config struct {
	// Issuer is the required value of `iss`.
	Issuer string

	// Audience is the value that `aud` must equal or contain.
	Audience string

	// JWKSURL is the URL of the key set, Keys the set itself (RFC 7517 §5). At most one may be
	// set. By default the URL is that of the issuer's discovery document (OpenID Connect
	// Discovery 1.0 §4), which must have the same issuer, and the host of the issuer in jwks_uri.
	JWKSURL string
	Keys    []byte

	// HTTP is the egress policy of key requests, also of the address in the discovery document.
	HTTP egress.Policy

	// Now is the clock for tokens and keys; nil means time.Now.
	Now func() time.Time

	// Logger receives key changes and failed fetches; nil means
	// slog.Default().
	Logger *slog.Logger
}

const (
	// Leeway is the accepted clock skew between the issuer and this process.
	Leeway = 30 * time.Second

	// MaxLifetime is the longest accepted time from iat to exp.
	MaxLifetime = 24 * time.Hour
)

// algorithms are the accepted signature algorithms. A key determines its algorithm, see parseKey.
var algorithms = map[string]jwa.SignatureAlgorithm{
	"RS256": jwa.RS256, "PS256": jwa.PS256, "ES256": jwa.ES256, "EdDSA": jwa.EdDSA,
}

// clientClaims name the client of a token, in order of precedence: RFC 9068 §2.2, OpenID Connect
// Core 1.0 §2, Microsoft Entra.
var clientClaims = []string{"client_id", "azp", "appid"}

// Verifier verifies the tokens of one issuer. It is safe for concurrent use.
type Verifier struct {
	config   Config
	client   *http.Client
	log      *slog.Logger
	throttle oplog.Throttle // of failed key requests

	snapshot   atomic.Pointer[snapshot] // nil until the first successful fetch
	flight     singleflight.Group       // at most one fetch at a time
	nextForced atomic.Int64             // unix nanoseconds
	fetches    atomic.Uint64
	failures   atomic.Uint64
}

// New returns a Verifier. [Verifier.Run] fetches keys from the network.
func New(c Config) (*Verifier, error) {
	v := &Verifier{config: c, log: cmp.Or(c.Logger, slog.Default())}
	if v.config.Now == nil {
		v.config.Now = time.Now
	}
	switch {
	case c.Issuer == "":
		return nil, errors.New("bearer: no issuer")
	case c.Audience == "":
		return nil, errors.New("bearer: no audience")
	}
	if err := v.openKeys(); err != nil {
		return nil, fmt.Errorf("bearer: %w", err)
	}
	return v, nil
}

// openKeys loads static keys, or creates the client that fetches them.
func (v *Verifier) openKeys() error {
	c := v.config
	if c.Keys != nil && c.JWKSURL != "" {
		return errors.New("key sets are named in more than one way")
	}
	if c.Keys != nil {
		set, err := parseKeys(c.Keys)
		if err != nil {
			return err
		}
		v.snapshot.Store(&snapshot{keySet: set, static: true})
		return nil
	}
	if err := c.HTTP.Validate(); err != nil {
		return err
	}
	first := cmp.Or(c.JWKSURL, discoveryURL(c.Issuer))
	if err := c.HTTP.CheckURL(first); err != nil {
		return fmt.Errorf("key set %s: %w", first, err)
	}
	v.client = egress.New(c.HTTP)
	return nil
}

// Verify returns the content of a token, or an error that matches [ErrInvalid] or
// [ErrUnavailable].
//
// A verified token is cached for up to 60 seconds, while the key set is unchanged. Its times are
// checked at every call.
func (v *Verifier) Verify(ctx context.Context, token string) (Token, error) {
	if err := checkShape(token); err != nil {
		return Token{}, err
	}
	now := v.config.Now()
	keys := v.snapshot.Load()
	if !keys.isUsable(now) {
		return Token{}, ErrUnavailable
	}
	digest := sha256.Sum256([]byte(token))
	if t, ok := keys.verified.get(digest, now); ok {
		if err := checkTimes(t, now); err != nil {
			return Token{}, err
		}
		return t, nil
	}
	payload, keys, err := v.verifySignature(ctx, keys, token, 0, "JWT", "at+jwt") // RFC 9068 §2.1
	if err != nil {
		return Token{}, err
	}
	t, err := v.parseClaims(payload)
	if err != nil {
		return Token{}, err
	}
	if err := checkTimes(t, now); err != nil {
		return Token{}, err
	}
	keys.verified.put(digest, t, now)
	return t, nil
}

// verifySignature returns the payload of a token of one of the types, and the keys with which it was verified. later is
// that of newerKeys.
func (v *Verifier) verifySignature(
	ctx context.Context, keys *snapshot, token string, later time.Duration, types ...string,
) ([]byte, *snapshot, error) {
	h, err := parseHeader(token, types)
	if err != nil {
		return nil, keys, err
	}
	if !keys.kids[h.kid] {
		keys = v.newerKeys(ctx, keys, later)
	}
	key, ok := keys.keys[h]
	if !ok {
		return nil, keys, reasonKey
	}
	// Key and algorithm are those of the key set, not of the token.
	payload, err := jws.Verify([]byte(token), jws.WithKey(algorithms[h.alg], key), jws.WithCompact())
	if err != nil {
		return nil, keys, reasonSignature
	}
	return payload, keys, nil
}

// LogoutKeys verifies the signatures of logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4) with the keys of the
// Verifier. The caller checks the claims. Unknown key ids cause at most one refresh a minute.
type LogoutKeys struct{ *Verifier }

// VerifySignature returns the payload of a logout token, or an error that matches [ErrInvalid] or [ErrUnavailable].
func (k LogoutKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	if err := checkShape(token); err != nil {
		return nil, err
	}
	keys := k.snapshot.Load()
	if !keys.isUsable(k.config.Now()) {
		return nil, ErrUnavailable
	}
	payload, _, err := k.verifySignature(ctx, keys, token, forcedLogout, "JWT", "logout+jwt")
	return payload, err
}

// Algorithms returns the accepted signature algorithms.
func Algorithms() []string { return slices.Sorted(maps.Keys(algorithms)) }

// FromHeader returns the token of a request's one Authorization header
// (RFC 6750 §2.1). No header, several, or another scheme is an [ErrInvalid].
func FromHeader(h http.Header) (string, error) {
	values := h.Values("Authorization")
	switch len(values) {
	case 0:
		return "", reasonMissing
	case 1:
		scheme, token, _ := strings.Cut(values[0], " ")
		if strings.EqualFold(scheme, "Bearer") && token != "" {
			return token, nil
		}
	}
	return "", reasonHeader
}
