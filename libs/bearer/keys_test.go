package bearer

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/libs/egress"
)

// source is an issuer's key endpoint whose answer a test can change.
type source struct {
	hits   atomic.Int64
	answer atomic.Pointer[http.HandlerFunc]
}

func (s *source) serve(h http.HandlerFunc) { s.answer.Store(&h) }

// publish answers with these keys.
func (s *source) publish(keys ...map[string]any) { s.serve(answerJSON(jwks(keys...))) }

func answerJSON(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}
}

func answerStatus(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// hang replies after the end of the connection.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func (s *source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.hits.Add(1)
	(*s.answer.Load())(w, r)
}

// RoundTrip calls the source without a socket. The clock of a test bubble does not advance
// during socket I/O.
func (s *source) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// run starts a verifier of s in a bubble and stops it at the end of the test.
func (s *source) run(t *testing.T) *Verifier {
	t.Helper()
	v, err := New(Config{
		Issuer: testIssuer, Audience: testAudience, JWKSURL: testIssuer + "/certs",
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	v.client = &http.Client{Transport: s}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Run(ctx) }()
	t.Cleanup(func() {
		stopped := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		if waited := time.Since(stopped); waited != 0 {
			t.Errorf("Run took %s to stop", waited)
		}
		time.Sleep(fetchTime) // a fetch under way ends by itself
	})
	synctest.Wait()
	return v
}

// ecKey is a P-256 key with a kid.
type ecKey struct {
	kid string
	key *ecdsa.PrivateKey
}

func newECKey(kid string) ecKey {
	return ecKey{kid, must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))}
}

func (k ecKey) jwk() map[string]any { return ecdsaJWK(&k.key.PublicKey, k.kid, nil) }

// token returns a token that is good at the present time.
func (k ecKey) token() string {
	return mint(header("ES256", k.kid), claims(time.Now(), nil), es256(k.key))
}

func wantVerify(t *testing.T, v *Verifier, token string, want error) {
	t.Helper()
	if _, err := v.Verify(t.Context(), token); !errors.Is(err, want) {
		t.Errorf("Verify = %v, want %v", err, want)
	}
}

func TestKeysThatAreDownFromTheStartComeBack(t *testing.T) { // F26
	synctest.Test(t, func(t *testing.T) {
		var s source
		key := newECKey("a")
		s.serve(hang)
		v := s.run(t)
		time.Sleep(time.Hour)
		if v.Ready() {
			t.Error("ready without keys")
		}
		wantVerify(t, v, key.token(), ErrUnavailable)

		s.publish(key.jwk())
		time.Sleep(5 * time.Second)
		if !v.Ready() {
			t.Error("not ready 5 s after the keys came back")
		}
		wantVerify(t, v, key.token(), nil)
		if got := v.Stats(); got.Failures == 0 || got.Fetches <= got.Failures || time.Since(got.KeysSeen) > 5*time.Second {
			t.Errorf("Stats = %+v", got)
		}
	})
}

func TestKeysServeForADayAfterTheyWereLastSeen(t *testing.T) { // F27
	synctest.Test(t, func(t *testing.T) {
		var s source
		key := newECKey("a")
		s.publish(key.jwk())
		v := s.run(t)
		s.serve(answerStatus(http.StatusInternalServerError))
		time.Sleep(24*time.Hour - time.Minute)
		wantVerify(t, v, key.token(), nil)
		if !v.Ready() {
			t.Error("not ready within the day")
		}
		time.Sleep(2 * time.Minute)
		wantVerify(t, v, key.token(), ErrUnavailable)
		if v.Ready() {
			t.Error("ready with keys of yesterday")
		}
		s.publish(key.jwk())
		time.Sleep(5 * time.Second)
		wantVerify(t, v, key.token(), nil)
	})
}

func TestKnownKeysDoNotWaitForARefresh(t *testing.T) { // F28
	synctest.Test(t, func(t *testing.T) {
		var s source
		key, stranger := newECKey("a"), newECKey("b")
		s.publish(key.jwk())
		v := s.run(t)
		s.serve(hang)
		forced := make(chan time.Duration)
		go func() {
			start := time.Now()
			wantVerify(t, v, stranger.token(), ErrInvalid)
			forced <- time.Since(start)
		}()
		synctest.Wait() // the refresh hangs
		for range 100 {
			start := time.Now()
			wantVerify(t, v, key.token(), nil)
			if waited := time.Since(start); waited != 0 {
				t.Fatalf("waited %s", waited)
			}
		}
		if waited := <-forced; waited != time.Second {
			t.Errorf("the unknown key waited %s, want 1 s", waited)
		}
	})
}

func TestCancelledCallerDoesNotWaitForKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s source
		s.publish(newECKey("a").jwk())
		v := s.run(t)
		s.serve(hang)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		if _, err := v.Verify(ctx, newECKey("b").token()); !errors.Is(err, ErrInvalid) {
			t.Errorf("Verify = %v, want ErrInvalid", err)
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("waited %s", waited)
		}
	})
}

func TestKeysRotateWithoutRefusals(t *testing.T) { // F29
	synctest.Test(t, func(t *testing.T) {
		var s source
		old := newECKey("0")
		s.publish(old.jwk())
		v := s.run(t)
		for i := range 10 {
			time.Sleep(time.Minute)
			young := newECKey(fmt.Sprint(i + 1))
			s.publish(old.jwk(), young.jwk())
			wantVerify(t, v, young.token(), nil) // one forced refresh
			last := old.token()
			wantVerify(t, v, last, nil) // still published

			s.publish(young.jwk())
			time.Sleep(6 * time.Minute) // a refresh makes the removal visible
			wantVerify(t, v, mint(header("ES256", old.kid), claims(time.Now(), nil), es256(old.key)), ErrInvalid)
			old = young
		}
	})
}

func TestQuickRotationsAreFollowed(t *testing.T) { // F29
	synctest.Test(t, func(t *testing.T) {
		var s source
		old := newECKey("0")
		s.publish(old.jwk())
		v := s.run(t)
		for i := range 10 {
			time.Sleep(10 * time.Second)
			young := newECKey(fmt.Sprint(i + 1))
			s.publish(young.jwk())
			last := old.token()
			wantVerify(t, v, last, nil) // the removal is not visible yet; the token is remembered
			wantVerify(t, v, young.token(), nil)
			wantVerify(t, v, last, ErrInvalid) // remembered no more
			old = young
		}
	})
}

func TestUnknownKeysDoNotFloodTheSource(t *testing.T) { // F30
	synctest.Test(t, func(t *testing.T) {
		var s source
		key, stranger := newECKey("a"), newECKey("b")
		s.publish(key.jwk())
		v := s.run(t)
		before, start := s.hits.Load(), time.Now()
		for i := range 2 * 60 * 10 { // two minutes
			stranger.kid = fmt.Sprint("b", i)
			token := stranger.token()
			var callers sync.WaitGroup
			for range 4 {
				callers.Go(func() { wantVerify(t, v, token, ErrInvalid) })
			}
			callers.Wait()
			moment := time.Now()
			wantVerify(t, v, key.token(), nil)
			if waited := time.Since(moment); waited != 0 {
				t.Fatalf("a cached key took %s", waited)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n, limit := s.hits.Load()-before, int64(time.Since(start)/forcedEvery)+1; n > limit || n < 2 {
			t.Errorf("%d refreshes in %s, want at most %d", n, time.Since(start), limit)
		}
	})
}

// A logout token needs no valid caller: 60 with unknown keys cause one refresh, and then one a minute.
func TestLogoutTokensWithUnknownKeysCauseARefreshAMinute(t *testing.T) { // F30, T101
	synctest.Test(t, func(t *testing.T) {
		var s source
		known, added := newECKey("a"), newECKey("b")
		s.publish(known.jwk())
		keys := LogoutKeys{s.run(t)}
		logout := func(k ecKey) string {
			return mint(header("ES256", k.kid, "typ", `"logout+jwt"`), claims(time.Now(), nil), es256(k.key))
		}
		verify := func(token string) error {
			_, err := keys.VerifySignature(t.Context(), token)
			return err
		}
		if err := verify(logout(known)); err != nil {
			t.Fatal(err)
		}
		wantVerify(t, keys.Verifier, logout(known), ErrInvalid) // no access token
		before, start := s.hits.Load(), time.Now()
		for i := range 60 {
			if err := verify(logout(newECKey(fmt.Sprint("unknown-", i)))); !errors.Is(err, ErrInvalid) {
				t.Errorf("token %d: %v", i, err)
			}
			time.Sleep(3 * time.Second)
		}
		if n := s.hits.Load() - before; time.Since(start) != 3*time.Minute || n != 3 {
			t.Errorf("%d refreshes in %s, want one a minute", n, time.Since(start))
		}
		time.Sleep(time.Minute)
		s.publish(known.jwk(), added.jwk())
		if err := verify(logout(added)); err != nil {
			t.Errorf("a new key of the issuer: %v", err)
		}
		if err := verify(mint(header("ES256", known.kid), claims(time.Now(), nil), es256(added.key))); !errors.Is(err, ErrInvalid) {
			t.Errorf("a forged token: %v", err)
		}
	})
}

// poison lists invalid answers of a source of keys.
func poison() map[string]http.HandlerFunc {
	k := keysOnce()
	good := rsaJWK(&k.rsa.PublicKey, "bad", nil)
	with := func(name string, value any) map[string]any {
		members := maps.Clone(good)
		members[name] = value
		return members
	}
	set := func(keys ...map[string]any) http.HandlerFunc { return answerJSON(jwks(keys...)) }
	document := func(text string) http.HandlerFunc { return answerJSON([]byte(text)) }
	short := new(big.Int).SetBit(new(big.Int).Lsh(big.NewInt(1), 1023), 0, 1)
	long := new(big.Int).SetBit(new(big.Int).Lsh(big.NewInt(1), 16383), 0, 1)
	even := new(big.Int).Lsh(big.NewInt(1), 2047)
	many := make([]map[string]any, 10000)
	for i := range many {
		many[i] = map[string]any{"kty": "x"}
	}
	overLimit := make([]map[string]any, 101)
	for i := range overLimit {
		overLimit[i] = rsaJWK(&k.rsa.PublicKey, fmt.Sprint(i), nil)
	}
	offCurve := ecdsaJWK(&k.ec.PublicKey, "bad", nil)
	offCurve["x"], offCurve["y"] = offCurve["y"], offCurve["x"]
	zero := ecdsaJWK(&k.ec.PublicKey, "bad", nil)
	zero["x"] = base64url.EncodeToString(make([]byte, 32))
	zero["y"] = zero["x"]
	plain := func(body []byte, contentType string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Write(body)
		}
	}
	answers := map[string]http.HandlerFunc{
		"an empty set":            set(),
		"no keys":                 document(`{}`),
		"keys are null":           document(`{"keys":null}`),
		"keys in another case":    answerJSON([]byte(strings.Replace(string(jwks(good)), `"keys"`, `"Keys"`, 1))),
		"null":                    document(`null`),
		"an array":                document(`[]`),
		"a key that is a string":  document(`{"keys":["x"]}`),
		"a member twice":          document(`{"keys":[],"keys":[]}`),
		"not JSON":                document(`<html>`),
		"nothing":                 document(``),
		"all for encryption":      set(with("use", "enc")),
		"a shared secret":         set(good, map[string]any{"kty": "oct", "k": "AAAA", "kid": "s"}),
		"a shared secret, absent": set(good, map[string]any{"kty": "oct", "kid": "s"}),
		"RSA of 1024 bits":        set(good, rsaJWK(&rsa.PublicKey{N: short, E: 65537}, "short", nil)),
		"RSA of 16384 bits":       set(good, rsaJWK(&rsa.PublicKey{N: long, E: 65537}, "long", nil)),
		"RSA with an even n":      set(rsaJWK(&rsa.PublicKey{N: even, E: 65537}, "bad", nil)),
		"RSA with exponent 1":     set(rsaJWK(&rsa.PublicKey{N: k.rsa.N, E: 1}, "bad", nil)),
		"RSA with exponent 4":     set(rsaJWK(&rsa.PublicKey{N: k.rsa.N, E: 4}, "bad", nil)),
		"RSA without n":           document(`{"keys":[{"kty":"RSA","kid":"bad","e":"AQAB"}]}`),
		"RSA with a number for n": set(with("n", 7)),
		"a point off the curve":   set(offCurve),
		"the point zero":          set(zero),
		"unknown kinds only":      set(map[string]any{"kty": "AKP", "kid": "bad"}, map[string]any{"kty": "EC", "crv": "P-999", "kid": "bad"}),
		"the same kid twice":      set(good, good),
		"no kid":                  set(rsaJWK(&k.rsa.PublicKey, "", nil)),
		"kid of 257 bytes":        set(rsaJWK(&k.rsa.PublicKey, strings.Repeat("k", 257), nil)),
		"an algorithm not ours":   set(with("alg", "RS512")),
		"alg of another kind":     set(with("alg", "ES256")),
		"alg is a number":         set(with("alg", 1)),
		"use is a number":         set(with("use", 1)),
		"101 keys":                set(overLimit...),
		"10,000 keys":             set(many...),
		"50 MiB":                  plain(make([]byte, 50<<20), "application/json"),
		"256 KiB and more":        plain(append(jwks(good), []byte(strings.Repeat(" ", 256<<10))...), "application/json"),
		"HTML":                    plain([]byte("<html>"), "text/html"),
		"keys as text":            plain(jwks(good), "text/plain"),
		"no type":                 plain(jwks(good), ""),
		"a redirect":              func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"201":                     func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusCreated) },
		"404":                     answerStatus(http.StatusNotFound),
		"429 for a year": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "31536000")
			w.WriteHeader(429)
		},
		"a broken connection": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		answers["private member "+private] = set(with(private, "AAAA"))
	}
	return answers
}

// openPolicy reaches the test servers.
var openPolicy = egress.Policy{AllowHTTP: true, AnyPort: true,
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}

func TestAPoisonedSetIsRefusedAndTheLastGoodOneKept(t *testing.T) { // F31
	var s source
	var followed atomic.Int64
	mux := http.NewServeMux()
	mux.Handle("/certs", &s)
	key := newECKey("a")
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, r *http.Request) {
		followed.Add(1)
		answerJSON(jwks(key.jwk()))(w, r)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	v, err := New(Config{
		Issuer: testIssuer, Audience: testAudience, JWKSURL: server.URL + "/certs", HTTP: openPolicy,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.publish(key.jwk())
	if err := v.refresh(); err != nil {
		t.Fatal(err)
	}
	good := v.snapshot.Load()
	bad := mint(header("RS256", "bad"), claims(time.Now(), nil), rs256(keysOnce().rsa))
	for name, answer := range poison() {
		t.Run(name, func(t *testing.T) {
			failures := v.Stats().Failures
			s.serve(answer)
			if err := v.refresh(); err == nil {
				t.Error("refresh = nil, want an error")
			}
			if v.snapshot.Load() != good {
				t.Error("the last good set was replaced")
			}
			if v.Stats().Failures != failures+1 {
				t.Error("the failure was not counted")
			}
			wantVerify(t, v, key.token(), nil)
			wantVerify(t, v, bad, ErrInvalid)
		})
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
}

func TestKeysMayComeAsAKeySetType(t *testing.T) {
	var s source
	server := httptest.NewServer(&s)
	t.Cleanup(server.Close)
	key := newECKey("a")
	s.serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json; charset=utf-8")
		w.Write(jwks(key.jwk()))
	})
	v, err := New(Config{Issuer: testIssuer, Audience: testAudience, JWKSURL: server.URL, HTTP: openPolicy, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.refresh(); err != nil {
		t.Fatal(err)
	}
	wantVerify(t, v, key.token(), nil)
}

func TestDiscoveryIsTrustedOnlyForItsOwnHost(t *testing.T) {
	key := newECKey("a")
	tests := map[string]struct {
		issuer, address string // {} is the server, {other} a second one
		want            bool
	}{
		"the issuer's own keys":       {"{}/realms/demo", "{}/certs", true},
		"another issuer":              {"{}/realms/other", "{}/certs", false},
		"an issuer with a slash more": {"{}/realms/demo/", "{}/certs", false},
		"another server's keys":       {"{}/realms/demo", "{other}/certs", false},
		"another host":                {"{}/realms/demo", "https://evil.example/certs", false},
		"http, but another host":      {"{}/realms/demo", "http://evil.example/certs", false},
		"no address":                  {"{}/realms/demo", "", false},
		"a file":                      {"{}/realms/demo", "file:///etc/passwd", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			server, other := httptest.NewTLSServer(mux), httptest.NewTLSServer(mux)
			t.Cleanup(server.Close)
			t.Cleanup(other.Close)
			fill := strings.NewReplacer("{}", server.URL, "{other}", other.URL).Replace
			mux.HandleFunc("/certs", answerJSON(jwks(key.jwk())))
			mux.HandleFunc("/realms/demo/.well-known/openid-configuration", answerJSON(must(json.Marshal(map[string]any{
				"issuer": fill(tt.issuer), "jwks_uri": fill(tt.address),
			}))))
			v, err := New(Config{
				Issuer: server.URL + "/realms/demo", Audience: testAudience, HTTP: openPolicy,
				Logger: slog.New(slog.DiscardHandler),
			})
			if err != nil {
				t.Fatal(err)
			}
			v.client = server.Client()
			if err := v.refresh(); (err == nil) != tt.want {
				t.Errorf("refresh = %v, want success: %t", err, tt.want)
			}
		})
	}
}

// The host of a discovered address is the issuer's; the egress policy checks its scheme.
func TestKeysAtAPlainAddressNeedPermission(t *testing.T) {
	server := httptest.NewServer(answerJSON(testSet()))
	t.Cleanup(server.Close)
	for _, plain := range []bool{true, false} {
		policy := openPolicy
		policy.AllowHTTP = plain
		v, err := New(Config{Issuer: testIssuer, Audience: testAudience, HTTP: policy})
		if err != nil {
			t.Fatal(err)
		}
		_, err = v.fetch(t.Context(), server.URL, "application/json")
		if plain && err != nil || !plain && !errors.Is(err, egress.ErrBlocked) {
			t.Errorf("http is permitted: %t, fetch = %v", plain, err)
		}
	}
}

func TestConfigurationMistakesAreReported(t *testing.T) {
	good := Config{Issuer: testIssuer, Audience: testAudience, Keys: testSet()}
	tests := map[string]struct {
		change func(*Config)
		ok     bool
	}{
		"none":                       {func(*Config) {}, true},
		"discovery":                  {func(c *Config) { c.Keys = nil }, true},
		"no issuer":                  {func(c *Config) { c.Issuer = "" }, false},
		"no audience":                {func(c *Config) { c.Audience = "" }, false},
		"two sources":                {func(c *Config) { c.JWKSURL = "https://idp.example/certs" }, false},
		"keys that are none":         {func(c *Config) { c.Keys = []byte(`{}`) }, false},
		"an empty set":               {func(c *Config) { c.Keys = []byte{} }, false},
		"no key of a supported kind": {func(c *Config) { c.Keys = jwks(map[string]any{"kty": "AKP", "kid": "new", "alg": "ML-DSA-44"}) }, false},
		"plain http":                 {func(c *Config) { c.Keys, c.JWKSURL = nil, "http://idp.example/certs" }, false},
		"a private address": {func(c *Config) {
			c.Keys, c.JWKSURL = nil, "http://127.0.0.1/"
			c.HTTP = egress.Policy{AllowHTTP: true, AnyPort: true}
		}, false},
		"an issuer that is none": {func(c *Config) { c.Keys, c.Issuer = nil, "demo" }, false},
		"a policy that is none":  {func(c *Config) { c.Keys, c.HTTP.Ports = nil, []uint16{0} }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := good
			tt.change(&c)
			v, err := New(c)
			if (err == nil) != tt.ok {
				t.Fatalf("New = %v, want success: %t", err, tt.ok)
			}
			if tt.ok && v.Ready() != (name != "discovery") {
				t.Errorf("Ready = %t", v.Ready())
			}
		})
	}
}

func TestStaticKeysNeverGetOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := newECKey("a")
		v, err := New(Config{Issuer: testIssuer, Audience: testAudience, Keys: jwks(key.jwk())})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- v.Run(ctx) }()
		time.Sleep(48 * time.Hour)
		wantVerify(t, v, key.token(), nil)
		wantVerify(t, v, newECKey("b").token(), ErrInvalid)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	})
}

func TestRunStopsWhileAFetchHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s source
		s.serve(hang)
		s.run(t) // and stopped, which must not take time
	})
}

// TestVerifyIsSafeForConcurrentUse is for the race detector: tokens are verified,
// over real sockets, while keys rotate.
func TestVerifyIsSafeForConcurrentUse(t *testing.T) {
	var s source
	server := httptest.NewServer(&s)
	t.Cleanup(server.Close)
	first, second := newECKey("a"), newECKey("b")
	s.publish(first.jwk())
	v, err := New(Config{
		Issuer: testIssuer, Audience: testAudience, JWKSURL: server.URL, HTTP: openPolicy,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.refresh(); err != nil {
		t.Fatal(err)
	}
	s.publish(first.jwk(), second.jwk())
	known, unknown := first.token(), second.token()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 50 {
				wantVerify(t, v, known, nil)
				wantVerify(t, v, unknown, nil)
				v.Stats()
			}
		})
	}
	callers.Wait()
	if n := s.hits.Load(); n != 2 {
		t.Errorf("%d fetches, want 2: one at the start, one for the unknown key", n)
	}
}
