package bearer

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	testIssuer   = "https://idp.example/realms/demo"
	testAudience = "wf"
)

// testNow is the time at which the tokens of these tests are verified.
var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// signer signs the first two parts of a token.
type signer func(input []byte) []byte

// testKeys are the keys of the tests' issuer and of those it should not have.
type testKeys struct {
	rsa, ps, enc *rsa.PrivateKey
	ec, p384     *ecdsa.PrivateKey
	ed           ed25519.PrivateKey
}

var keysOnce = sync.OnceValue(func() testKeys {
	var k testKeys
	var err error
	for _, key := range []**rsa.PrivateKey{&k.rsa, &k.ps, &k.enc} {
		if *key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			panic(err)
		}
	}
	if k.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		panic(err)
	}
	if k.p384, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader); err != nil {
		panic(err)
	}
	if _, k.ed, err = ed25519.GenerateKey(rand.Reader); err != nil {
		panic(err)
	}
	return k
})

func rs256(key *rsa.PrivateKey) signer {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		return must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:]))
	}
}

func ps256(key *rsa.PrivateKey) signer {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		return must(rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}))
	}
}

// ecdsaRaw signs with r and s side by side, size bytes each.
func ecdsaRaw(key *ecdsa.PrivateKey, size int) signer {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
		if err != nil {
			panic(err)
		}
		signature := make([]byte, 2*size)
		r.FillBytes(signature[:size])
		s.FillBytes(signature[size:])
		return signature
	}
}

func es256(key *ecdsa.PrivateKey) signer { return ecdsaRaw(key, 32) }

func ecdsaDER(key *ecdsa.PrivateKey) signer {
	return func(input []byte) []byte {
		digest := sha256.Sum256(input)
		return must(ecdsa.SignASN1(rand.Reader, key, digest[:]))
	}
}

func eddsa(key ed25519.PrivateKey) signer {
	return func(input []byte) []byte { return ed25519.Sign(key, input) }
}

func hs256(secret []byte) signer {
	return func(input []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(input)
		return mac.Sum(nil)
	}
}

// fixed returns a signature whatever the input.
func fixed(signature []byte) signer { return func([]byte) []byte { return signature } }

// forgeE3 makes Bleichenbacher's signature for a key with exponent 3: the cube
// root of a block that is right at the front only.
func forgeE3(input []byte) []byte {
	digest := sha256.Sum256(input)
	prefix := append([]byte{0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0,
		0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20}, digest[:]...)
	block := new(big.Int).SetBytes(append(prefix, make([]byte, 256-len(prefix))...))
	low, high, one, three := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 700), big.NewInt(1), big.NewInt(3)
	for low.Cmp(high) < 0 { // the smallest number whose cube is not below block
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if new(big.Int).Exp(middle, three, nil).Cmp(block) < 0 {
			low = middle.Add(middle, one)
		} else {
			high = middle
		}
	}
	cube := new(big.Int).Exp(low, three, nil).FillBytes(make([]byte, 256))
	if !bytes.Equal(cube[:len(prefix)], prefix) {
		panic("the forgery has a mistake")
	}
	return low.FillBytes(make([]byte, 256))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mint makes a token of a header and claims as they stand.
func mint(header, claims string, sign signer) string {
	input := base64url.EncodeToString([]byte(header)) + "." + base64url.EncodeToString([]byte(claims))
	return input + "." + base64url.EncodeToString(sign([]byte(input)))
}

// header returns a header with more members, each a pair of name and JSON.
func header(alg, kid string, more ...string) string {
	text := fmt.Sprintf(`{"alg":%q,"kid":%q`, alg, kid)
	for i := 0; i < len(more); i += 2 {
		text += fmt.Sprintf(`,%q:%s`, more[i], more[i+1])
	}
	return text + "}"
}

// drop removes a claim.
type drop struct{}

// claims returns good claims at now with some changes.
func claims(now time.Time, changes map[string]any) string {
	all := map[string]any{
		"iss": testIssuer, "aud": testAudience, "sub": "ana", "jti": "t1",
		"iat": now.Add(-time.Minute).Unix(), "exp": now.Add(4 * time.Minute).Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == any(drop{}) })
	return string(must(json.Marshal(all)))
}

func rsaJWK(key *rsa.PublicKey, kid string, more map[string]any) map[string]any {
	members := map[string]any{
		"kty": "RSA", "kid": kid,
		"n": base64url.EncodeToString(key.N.Bytes()),
		"e": base64url.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}
	maps.Copy(members, more)
	return members
}

func ecdsaJWK(key *ecdsa.PublicKey, kid string, more map[string]any) map[string]any {
	point := must(key.Bytes())
	size := len(point) / 2
	members := map[string]any{
		"kty": "EC", "kid": kid, "crv": key.Params().Name,
		"x": base64url.EncodeToString(point[1 : 1+size]),
		"y": base64url.EncodeToString(point[1+size:]),
	}
	maps.Copy(members, more)
	return members
}

func edJWK(key ed25519.PrivateKey, kid string) map[string]any {
	return map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": base64url.EncodeToString(key.Public().(ed25519.PublicKey))}
}

func jwks(keys ...map[string]any) []byte {
	return must(json.Marshal(map[string]any{"keys": keys}))
}

// testSet is the key set of the tests' issuer.
func testSet() []byte {
	k := keysOnce()
	return jwks(
		rsaJWK(&k.rsa.PublicKey, "rsa", map[string]any{"use": "sig", "alg": "RS256", "x5c": []string{"not a certificate"}, "x5t": 7}),
		rsaJWK(&k.ps.PublicKey, "ps", map[string]any{"alg": "PS256", "key_ops": []string{"verify"}}),
		ecdsaJWK(&k.ec.PublicKey, "ec", nil),
		edJWK(k.ed, "ed"),
		rsaJWK(&k.enc.PublicKey, "enc", map[string]any{"use": "enc", "alg": "RS256"}),
		rsaJWK(&k.enc.PublicKey, "oaep", map[string]any{"alg": "RSA-OAEP"}),
		rsaJWK(&k.enc.PublicKey, "ops", map[string]any{"key_ops": []string{"encrypt"}}),
		ecdsaJWK(&k.p384.PublicKey, "p384", nil),
		rsaJWK(&rsa.PublicKey{N: k.rsa.N, E: 3}, "e3", nil),
		rsaJWK(&k.rsa.PublicKey, "twin", nil),
		ecdsaJWK(&k.ec.PublicKey, "twin", nil),
		rsaJWK(&k.rsa.PublicKey, "", nil),
		map[string]any{"kty": "AKP", "kid": "new", "alg": "ML-DSA-44"},
	)
}

func newTestVerifier(t testing.TB) *Verifier {
	t.Helper()
	v, err := New(Config{
		Issuer: testIssuer, Audience: testAudience, Keys: testSet(),
		Now: func() time.Time { return testNow },
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// badTokens are the tokens to be refused.
func badTokens() map[string]string {
	k := keysOnce()
	good := claims(testNow, nil)
	rsaHeader := header("RS256", "rsa")
	token := mint(rsaHeader, good, rs256(k.rsa))
	parts := strings.Split(token, ".")
	with := func(name string, value any) string { // one claim is changed
		return mint(rsaHeader, claims(testNow, map[string]any{name: value}), rs256(k.rsa))
	}
	at := func(name string, d time.Duration) string { return with(name, testNow.Add(d).Unix()) }
	head := func(h string) string { return mint(h, good, rs256(k.rsa)) }
	plus := func(name, value string) string { return head(header("RS256", "rsa", name, value)) }
	der := must(x509.MarshalPKIXPublicKey(&k.rsa.PublicKey))
	flipped := must(base64url.DecodeString(parts[2]))
	flipped[100] ^= 1
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(parts[2]) - 1 // two bits of its six belong to the signature
	spare := parts[2][:last] + alphabet[strings.IndexByte(alphabet, parts[2][last])+1:][:1]
	_, tooLong := longestToken()
	roles := make([]string, 513)
	for i := range roles {
		roles[i] = "r"
	}
	spread := map[string]any{}
	for i := range 3 {
		spread[fmt.Sprint(i)] = map[string]any{"roles": roles[:171]}
	}
	return map[string]string{
		"nothing":                             "",
		"one part":                            parts[0],
		"T8 two parts":                        parts[0] + "." + parts[1],
		"T9 four parts":                       token + ".AAAA",
		"T10 five parts":                      token + ".AAAA.AAAA",
		"T11 not base64url":                   strings.Replace(token, parts[1], parts[1]+"+/", 1),
		"T11 impossible length":               parts[0] + "." + parts[1] + ".A",
		"T11 spare bits set":                  parts[0] + "." + parts[1] + "." + spare,
		"T12 padded":                          parts[0] + "." + parts[1] + "." + parts[2] + "==",
		"T13 newline after":                   token + "\n",
		"T13 newline inside":                  parts[0] + ".\r\n" + parts[1] + "." + parts[2],
		"T13 space before":                    " " + token,
		"T14 alg none":                        mint(header("none", "rsa"), good, fixed([]byte{1})),
		"T14 alg none without signature":      mint(header("none", "rsa"), good, fixed(nil)),
		"T15 alg nOnE":                        mint(header("nOnE", "rsa"), good, fixed([]byte{1})),
		"T16 alg empty":                       head(header("", "rsa")),
		"T17 no alg":                          head(`{"kid":"rsa"}`),
		"T18 alg array":                       head(`{"alg":["RS256"],"kid":"rsa"}`),
		"T23 HS256 with the PEM":              mint(header("HS256", "rsa"), good, hs256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))),
		"T24 HS256 with the DER":              mint(header("HS256", "rsa"), good, hs256(der)),
		"T25 HS256 with the JWK":              mint(header("HS256", "rsa"), good, hs256(must(json.Marshal(rsaJWK(&k.rsa.PublicKey, "rsa", nil))))),
		"T27 key for encryption":              mint(header("RS256", "enc"), good, rs256(k.enc)),
		"T27 key with another algorithm":      mint(header("RS256", "oaep"), good, rs256(k.enc)),
		"T28 key operations without verify":   mint(header("RS256", "ops"), good, rs256(k.enc)),
		"T29 ES256 by a P-384 key":            mint(header("ES256", "p384"), good, ecdsaRaw(k.p384, 48)),
		"PS256 by a key for RS256":            mint(header("PS256", "rsa"), good, ps256(k.rsa)),
		"RS256 by a key for PS256":            mint(header("RS256", "ps"), good, rs256(k.ps)),
		"RS512, which is not in the list":     mint(header("RS512", "rsa"), good, rs256(k.rsa)),
		"a key of the issuer, another kid":    mint(header("RS256", "e3"), good, rs256(k.rsa)),
		"T32 unknown kid":                     head(header("RS256", "other")),
		"T33 no kid":                          head(`{"alg":"RS256"}`),
		"T33 empty kid":                       head(header("RS256", "")),
		"T34 kid is a path":                   head(header("RS256", "../../../../dev/null")),
		"T35 kid is SQL":                      head(header("RS256", "' UNION SELECT")),
		"T36 kid of 64 KiB":                   head(header("RS256", strings.Repeat("k", 64<<10))),
		"T36 kid of 257 bytes":                head(header("RS256", strings.Repeat("k", 257))),
		"T37 kid is a number":                 head(`{"alg":"RS256","kid":1}`),
		"T38 twin kid, other key's algorithm": mint(header("RS256", "twin"), good, es256(k.ec)),
		"T43 crit":                            plus("crit", `["x"]`),
		"T44 crit empty":                      plus("crit", `[]`),
		"T45 b64":                             plus("b64", `false`),
		"T46 zip":                             plus("zip", `"DEF"`),
		"cty":                                 plus("cty", `"JWT"`),
		"typ of another kind":                 plus("typ", `"logout+jwt"`),
		"typ is null":                         plus("typ", `null`),
		"T53 expired by 31 s":                 at("exp", -31*time.Second),
		"T53 expired by exactly the leeway":   at("exp", -30*time.Second),
		"T55 nbf in 31 s":                     at("nbf", 31*time.Second),
		"T56 iat in 31 s":                     at("iat", 31*time.Second),
		"T57 iat in a year": mint(rsaHeader,
			claims(testNow, map[string]any{"iat": testNow.AddDate(1, 0, 0).Unix(), "exp": testNow.AddDate(1, 0, 0).Unix() + 60}),
			rs256(k.rsa)),
		"T58 no exp":                with("exp", drop{}),
		"no iat":                    with("iat", drop{}),
		"T59 exp 0":                 with("exp", 0),
		"T60 exp -1":                with("exp", -1),
		"T61 exp 1e300":             with("exp", json.Number("1e300")),
		"T61 exp in the year 10000": with("exp", 253402300800),
		"T62 exp is a string":       with("exp", "9999999999"),
		"T63 exp is null":           with("exp", nil),
		"T64 lives longer than a day": mint(rsaHeader,
			claims(testNow, map[string]any{"iat": testNow.Unix(), "exp": testNow.Unix() + 86401}), rs256(k.rsa)),
		"iat is a string": with("iat", "1"),
		"nbf is a string": with("nbf", "1"),
		"nbf is null":     with("nbf", nil),
		"expires before it is issued": mint(rsaHeader,
			claims(testNow, map[string]any{"iat": testNow.Unix() + 20, "exp": testNow.Unix() + 10}), rs256(k.rsa)),
		"wrong iss":                          with("iss", testIssuer+"/"),
		"no iss":                             with("iss", drop{}),
		"T69 wrong aud":                      with("aud", "registrar"),
		"T70 no aud":                         with("aud", drop{}),
		"T72 aud is a star":                  with("aud", []string{"*"}),
		"T73 right only in azp":              mint(rsaHeader, claims(testNow, map[string]any{"aud": "account", "azp": testAudience}), rs256(k.rsa)),
		"aud array with a number":            with("aud", []any{testAudience, 1}),
		"no sub":                             with("sub", drop{}),
		"empty sub":                          with("sub", ""),
		"sub of 256 bytes":                   with("sub", strings.Repeat("s", 256)),
		"sub with a line break":              with("sub", "a\nb"),
		"sub with a control character of C1": with("sub", "a\u0085b"),
		"sub is a number":                    with("sub", 7),
		"jti is a number":                    with("jti", 7),
		"Keycloak ID token":                  with("typ", "ID"),
		"Keycloak refresh token":             with("typ", "Refresh"),
		"ID token with the hash of a token":  with("at_hash", "x"),
		"ID token with the hash of a code":   with("c_hash", "x"),
		"T80 claim twice":                    mint(rsaHeader, good[:len(good)-1]+`,"sub":"eve"}`, rs256(k.rsa)),
		"T80 claim twice by an escape":       mint(rsaHeader, good[:len(good)-1]+`,"\u0073ub":"eve"}`, rs256(k.rsa)),
		"a claim in another case":            mint(rsaHeader, claims(testNow, map[string]any{"sub": drop{}, "Sub": "ana"}), rs256(k.rsa)),
		"T81 alg twice":                      head(`{"alg":"RS256","kid":"rsa","alg":"RS256"}`),
		"T82 bytes after the claims":         mint(rsaHeader, good+" {}", rs256(k.rsa)),
		"bytes after the header":             mint(rsaHeader+"x", good, rs256(k.rsa)),
		"T83 claims are an array":            mint(rsaHeader, `[]`, rs256(k.rsa)),
		"T83 claims are null":                mint(rsaHeader, `null`, rs256(k.rsa)),
		"claims are not JSON":                mint(rsaHeader, `{`, rs256(k.rsa)),
		"header is null":                     head(`null`),
		"T84 8 KiB and 1 byte":               tooLong,
		"T85 claim of 4 MiB":                 with("x", strings.Repeat("x", 4<<20)),
		"T86 claim 9,000 deep": mint(rsaHeader, good[:len(good)-1]+`,"x":`+
			strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+"}", rs256(k.rsa)),
		"T86 claim 17 deep": mint(rsaHeader, good[:len(good)-1]+`,"x":`+
			strings.Repeat("[", 17)+strings.Repeat("]", 17)+"}", rs256(k.rsa)),
		"T87 513 realm roles":                  with("realm_access", map[string]any{"roles": roles}),
		"T87 513 client roles":                 with("resource_access", spread),
		"T94 signature empty":                  parts[0] + "." + parts[1] + ".",
		"T95 one bit of the signature flipped": parts[0] + "." + parts[1] + "." + base64url.EncodeToString(flipped),
		"T95 signature of other claims":        mint(rsaHeader, good, fixed(rs256(k.rsa)([]byte("x")))),
		"T96 ECDSA zeros":                      mint(header("ES256", "ec"), good, fixed(make([]byte, 64))),
		"T97 ECDSA in DER":                     mint(header("ES256", "ec"), good, ecdsaDER(k.ec)),
		"T98 ECDSA of 63 bytes":                mint(header("ES256", "ec"), good, func(in []byte) []byte { return es256(k.ec)(in)[:63] }),
		"T98 ECDSA of 65 bytes":                mint(header("ES256", "ec"), good, func(in []byte) []byte { return append(es256(k.ec)(in), 0) }),
		"T98 ECDSA of 96 bytes":                mint(header("ES256", "ec"), good, ecdsaRaw(k.ec, 48)),
		"T99 forged for exponent 3":            mint(header("RS256", "e3"), good, forgeE3),
		"an embedded key is not trusted": mint(header("RS256", "mine", "jwk",
			string(must(json.Marshal(rsaJWK(&k.enc.PublicKey, "mine", nil))))), good, rs256(k.enc)),
		"an embedded address is not dialled": mint(header("RS256", "mine", "jku", `"https://evil.example/jwks"`), good, rs256(k.enc)),
		"an embedded key cannot replace a kid's": mint(header("RS256", "rsa", "jwk",
			string(must(json.Marshal(rsaJWK(&k.enc.PublicKey, "rsa", nil))))), good, rs256(k.enc)),
	}
}

// longestToken returns a good token of 8,192 bytes, and the same with one more
// byte in its claims.
func longestToken() (fits, exceeds string) {
	pad := func(size int) string {
		return mint(header("RS256", "rsa"), claims(testNow, map[string]any{"pad": strings.Repeat("x", size)}), rs256(keysOnce().rsa))
	}
	size := (maxToken-len(pad(0)))*3/4 + 3
	for fits = pad(size); len(fits) > maxToken; fits = pad(size) {
		size--
	}
	if len(fits) != maxToken {
		panic("no padding fits")
	}
	return fits, pad(size + 1)
}

func TestABadTokenIsRefused(t *testing.T) {
	v := newTestVerifier(t)
	for name, token := range badTokens() {
		t.Run(name, func(t *testing.T) {
			for range 2 { // a refusal is not remembered as anything else
				got, err := v.Verify(t.Context(), token)
				if !errors.Is(err, ErrInvalid) || errors.Is(err, ErrUnavailable) {
					t.Fatalf("Verify = %v, want ErrInvalid", err)
				}
				if _, ok := errors.AsType[Reason](err); !ok {
					t.Errorf("Verify = %T, want a Reason", err)
				}
				if !reflect.DeepEqual(got, Token{}) {
					t.Errorf("Verify returned a token too: %+v", got)
				}
			}
		})
	}
}

func TestAGoodTokenIsAccepted(t *testing.T) {
	k := keysOnce()
	rsaHeader := header("RS256", "rsa")
	with := func(name string, value any) string {
		return mint(rsaHeader, claims(testNow, map[string]any{name: value}), rs256(k.rsa))
	}
	roles := make([]string, 512)
	for i := range roles {
		roles[i] = "r"
	}
	good := claims(testNow, nil)
	tests := map[string]string{
		"RS256":                      mint(rsaHeader, good, rs256(k.rsa)),
		"PS256":                      mint(header("PS256", "ps"), good, ps256(k.ps)),
		"EdDSA":                      mint(header("EdDSA", "ed"), good, eddsa(k.ed)),
		"ES256":                      mint(header("ES256", "ec"), good, es256(k.ec)),
		"typ JWT":                    mint(header("RS256", "rsa", "typ", `"JWT"`), good, rs256(k.rsa)),
		"typ at+jwt":                 mint(header("RS256", "rsa", "typ", `"at+jwt"`), good, rs256(k.rsa)),
		"an address that is ignored": mint(header("RS256", "rsa", "jku", `"https://evil.example/"`), good, rs256(k.rsa)),
		"T38 twin kid, RS256":        mint(header("RS256", "twin"), good, rs256(k.rsa)),
		"T38 twin kid, ES256":        mint(header("ES256", "twin"), good, es256(k.ec)),
		"T54 expired by 29 s":        with("exp", testNow.Add(-29*time.Second).Unix()),
		"nbf in 30 s":                with("nbf", testNow.Add(30*time.Second).Unix()),
		"iat in 30 s":                with("iat", testNow.Add(30*time.Second).Unix()),
		"a fraction of a second":     with("exp", float64(testNow.Unix())+0.5),
		"lives exactly a day": mint(rsaHeader,
			claims(testNow, map[string]any{"iat": testNow.Unix(), "exp": testNow.Unix() + 86400}), rs256(k.rsa)),
		"T71 aud array with ours":       with("aud", []string{"account", testAudience}),
		"Keycloak access token":         with("typ", "Bearer"),
		"no jti":                        with("jti", drop{}),
		"sub of 255 bytes":              with("sub", strings.Repeat("s", 255)),
		"512 roles":                     with("realm_access", map[string]any{"roles": roles}),
		"realm_access of another shape": with("realm_access", "none"),
	}
	tests["exactly 8 KiB"], _ = longestToken()
	v := newTestVerifier(t)
	for name, token := range tests {
		t.Run(name, func(t *testing.T) {
			first, err := v.Verify(t.Context(), token)
			if err != nil {
				t.Fatalf("Verify = %v, want a token", err)
			}
			again, err := v.Verify(t.Context(), token)
			if err != nil || !reflect.DeepEqual(first, again) {
				t.Errorf("the second time: %+v, %v; want %+v", again, err, first)
			}
		})
	}
}

func TestTheFirstFailedStepDecides(t *testing.T) {
	k := keysOnce()
	v := newTestVerifier(t)
	twice := `{"sub":"ana","sub":"eve"}`
	expired := claims(testNow, map[string]any{"exp": testNow.Add(-time.Hour).Unix(), "iat": testNow.Add(-2 * time.Hour).Unix()})
	unsigned := fixed([]byte{1})
	for _, tt := range []struct {
		token string
		want  Reason
	}{
		{strings.Repeat("*", maxToken+1), reasonSize},
		{strings.Repeat("*", maxToken), reasonShape},
		{"A.A.A", reasonEncoding},
		{mint(header("none", "?", "crit", "[]"), twice, unsigned), reasonJSON},
		{mint(header("none", "?", "crit", "[]"), expired, unsigned), reasonExtension},
		{mint(header("none", "?", "typ", "1"), expired, unsigned), reasonType},
		{mint(header("none", "?"), expired, unsigned), reasonAlgorithm},
		{mint(header("RS256", "?"), expired, unsigned), reasonKey},
		{mint(header("RS256", "rsa"), expired, unsigned), reasonSignature},
		{mint(header("RS256", "rsa"), expired, rs256(k.rsa)), reasonExpired},
	} {
		if _, err := v.Verify(t.Context(), tt.token); err != tt.want {
			t.Errorf("Verify = %v, want %v", err, tt.want)
		}
	}
}

func TestNumericDatesLieBetween1970And10000(t *testing.T) {
	for number, want := range map[any]time.Time{
		json.Number("1"):                           time.Unix(1, 0),
		json.Number("1.5"):                         time.Unix(1, 5e8),
		json.Number("1e3"):                         time.Unix(1000, 0),
		json.Number("253402300799"):                time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		json.Number("253402300800"):                {},
		json.Number("0"):                           {},
		json.Number("-1"):                          {},
		json.Number("1e999"):                       {},
		json.Number(strings.Repeat("9", 400)):      {},
		json.Number("0." + strings.Repeat("0", 9)): {},
		"1": {}, true: {}, nil: {},
	} {
		if got, ok := timeOf(number); !got.Equal(want) || ok == want.IsZero() {
			t.Errorf("timeOf(%v) = %s, %t; want %s", number, got, ok, want)
		}
	}
}

func TestTokenFieldsMatchItsClaims(t *testing.T) {
	k := keysOnce()
	raw := mint(header("RS256", "rsa"), claims(testNow, map[string]any{
		"aud":             []string{"account", testAudience},
		"auth_time":       testNow.Add(-time.Hour).Unix(),
		"acr":             "gold",
		"amr":             []string{"pwd", "otp"},
		"scope":           "openid  wf.read",
		"amount":          json.Number("9007199254740993"),
		"realm_access":    map[string]any{"roles": []string{"WF_VIEWER", "WF_ADMIN"}},
		"resource_access": map[string]any{"wf": map[string]any{"roles": []string{"WF_ADMIN", "x"}}, "a/b~c": map[string]any{"roles": []string{"y"}}},
		"groups":          []any{"g", 1},
	}), rs256(k.rsa))
	got, err := newTestVerifier(t).Verify(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Claims["amount"]; n != json.Number("9007199254740993") {
		t.Errorf("amount = %v, want all its digits", n)
	}
	for _, tt := range []struct{ name, got, want any }{
		{"Issuer", got.Issuer, testIssuer},
		{"Subject", got.Subject, "ana"},
		{"ID", got.ID, "t1"},
		{"Audience", got.Audience, []string{"account", testAudience}},
		{"IssuedAt", got.IssuedAt, testNow.Add(-time.Minute)},
		{"ExpiresAt", got.ExpiresAt, testNow.Add(4 * time.Minute)},
		{"AuthTime", got.AuthTime, testNow.Add(-time.Hour)},
		{"ACR", got.ACR, "gold"},
		{"AMR", got.AMR, []string{"pwd", "otp"}},
		{"Scopes", got.Scopes(), []string{"openid", "wf.read"}},
		{"String", got.String("acr"), "gold"},
		{"String of a number", got.String("amount"), ""},
		{"realm roles", got.Roles("/realm_access/roles"), []string{"WF_VIEWER", "WF_ADMIN"}},
		{"both lists", got.Roles("/realm_access/roles", "/resource_access/wf/roles"), []string{"WF_VIEWER", "WF_ADMIN", "x"}},
		{"an escaped pointer", got.Roles("/resource_access/a~1b~0c/roles"), []string{"y"}},
		{"a pointer to nothing", got.Roles("/resource_access/other/roles", "", "roles"), []string(nil)},
		{"a pointer to a string", got.Roles("/scope", "/acr/x"), []string(nil)},
		{"an array with a number", got.Roles("/groups"), []string(nil)},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestATokenNamesThePartiesThatAct(t *testing.T) {
	act := func(sub any, inner ...any) map[string]any {
		party := map[string]any{"sub": sub}
		for _, nested := range inner {
			party["act"] = nested
		}
		return party
	}
	foreign := act("b")
	foreign["iss"] = "https://other.example"
	for name, tt := range map[string]struct {
		claim any
		want  []Actor
	}{
		"one":                       {act("a"), []Actor{{Subject: "a"}}},
		"nested, with an issuer":    {act("a", foreign), []Actor{{Subject: "a"}, {"b", "https://other.example"}}},
		"four":                      {act("a", act("b", act("c", act("d")))), []Actor{{Subject: "a"}, {Subject: "b"}, {Subject: "c"}, {Subject: "d"}}},
		"five":                      {act("a", act("b", act("c", act("d", act("e"))))), nil},
		"null":                      {nil, nil},
		"a text":                    {"a", nil},
		"without sub":               {map[string]any{"client_id": "a"}, nil},
		"an empty sub":              {act(""), nil},
		"a long sub":                {act(strings.Repeat("a", maxSubject+1)), nil},
		"a control character":       {act("a\n"), nil},
		"a number as the subject":   {act(7), nil},
		"an issuer that is no text": {map[string]any{"sub": "a", "iss": 7}, nil},
		"null below":                {act("a", nil), nil},
		"a malformed party below":   {act("a", "b"), nil},
	} {
		token := mint(header("RS256", "rsa"), claims(testNow, map[string]any{"act": tt.claim}), rs256(keysOnce().rsa))
		got, err := newTestVerifier(t).Verify(t.Context(), token)
		if refused := errors.Is(err, reasonActor); refused != (tt.want == nil) || !slices.Equal(got.Actors, tt.want) {
			t.Errorf("%s: %v, %v, want %v", name, got.Actors, err, tt.want)
		}
	}
}

func TestATokenNamesItsClientByTheFirstClaim(t *testing.T) {
	v := newTestVerifier(t)
	for name, tt := range map[string]struct {
		token map[string]any
		want  string
	}{
		"client_id first": {map[string]any{"client_id": "a", "azp": "b", "appid": "c"}, "a"},
		"then azp":        {map[string]any{"azp": "b", "appid": "c"}, "b"},
		"then appid":      {map[string]any{"appid": "c"}, "c"},
		"not a string":    {map[string]any{"client_id": 7}, ""},
	} {
		got, err := v.Verify(t.Context(), mint(header("RS256", "rsa"), claims(testNow, tt.token), rs256(keysOnce().rsa)))
		if err != nil || got.Client != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got.Client, err, tt.want)
		}
	}
}

func TestCachedTokenStillExpires(t *testing.T) {
	now := testNow
	v, err := New(Config{Issuer: testIssuer, Audience: testAudience, Keys: testSet(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	token := mint(header("RS256", "rsa"), claims(now, map[string]any{"exp": now.Add(time.Second).Unix(), "nbf": now.Unix()}), rs256(keysOnce().rsa))
	for _, step := range []struct {
		after time.Duration
		want  error
	}{
		{0, nil},
		{30 * time.Second, nil},        // the leeway's last second
		{31 * time.Second, ErrInvalid}, // still remembered, but expired
		{0, nil},
		{-31 * time.Second, ErrInvalid}, // a clock that went back
	} {
		now = testNow.Add(step.after)
		if _, err := v.Verify(t.Context(), token); !errors.Is(err, step.want) {
			t.Errorf("Verify after %s = %v, want %v", step.after, err, step.want)
		}
	}
}

func TestCacheExpiresAndEvictsTokens(t *testing.T) {
	c := newCache()
	key := func(i int) [32]byte { return [32]byte{byte(i), byte(i >> 8), byte(i >> 16)} }
	c.put(key(0), Token{Subject: "ana"}, testNow)
	for age, want := range map[time.Duration]bool{0: true, 59 * time.Second: true, 60 * time.Second: false, -time.Second: false} {
		if _, ok := c.get(key(0), testNow.Add(age)); ok != want {
			t.Errorf("get after %s = %t, want %t", age, ok, want)
		}
	}
	for i := range 2 * cacheSize {
		c.put(key(i), Token{}, testNow)
	}
	if n := c.entries.Len(); n != cacheSize {
		t.Errorf("%d entries, want %d", n, cacheSize)
	}
	if _, ok := c.get(key(2*cacheSize-1), testNow); !ok {
		t.Error("the newest entry was forgotten")
	}
}

func TestTheHeaderHoldsExactlyOneToken(t *testing.T) {
	tests := map[string]struct {
		values []string
		want   string // empty for a refusal
	}{
		"a bearer token":        {[]string{"Bearer a.b.c"}, "a.b.c"},
		"the scheme in lower":   {[]string{"bearer a.b.c"}, "a.b.c"},
		"no header":             {nil, ""},
		"an empty header":       {[]string{""}, ""},
		"two headers":           {[]string{"Bearer a.b.c", "Bearer a.b.c"}, ""},
		"no token":              {[]string{"Bearer "}, ""},
		"the scheme alone":      {[]string{"Bearer"}, ""},
		"another scheme":        {[]string{"Basic YTpi"}, ""},
		"a tab for the space":   {[]string{"Bearer\ta.b.c"}, ""},
		"a scheme that is like": {[]string{"Bearers a.b.c"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := FromHeader(http.Header{"Authorization": tt.values})
			if got != tt.want || (err == nil) != (tt.want != "") || err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("FromHeader = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// FuzzVerify searches a panic, and a token that is accepted although an independent
// implementation refuses it.
func FuzzVerify(f *testing.F) {
	secret := sha256.Sum256([]byte("a key that is the same in every run"))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret[:])
	if err != nil {
		f.Fatal(err)
	}
	v, err := New(Config{
		Issuer: testIssuer, Audience: testAudience, Keys: jwks(ecdsaJWK(&key.PublicKey, "k", nil)),
		Now: func() time.Time { return testNow },
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(mint(header("ES256", "k"), claims(testNow, nil), es256(key)))
	f.Add(mint(header("ES256", "k", "typ", `"JWT"`), claims(testNow, map[string]any{"aud": []string{"x", testAudience}}), es256(key)))
	f.Add(mint(header("ES256", "k"), claims(testNow, map[string]any{"exp": 1}), es256(key)))
	for _, token := range badTokens() {
		if len(token) <= maxToken {
			f.Add(token)
		}
	}
	f.Fuzz(func(t *testing.T, raw string) {
		token, err := v.Verify(t.Context(), raw)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("Verify = %v, want ErrInvalid", err)
			}
			return
		}
		parts := strings.Split(raw, ".")
		signature := must(base64url.DecodeString(parts[2]))
		digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		if len(signature) != 64 || !ecdsa.Verify(&key.PublicKey, digest[:], r, s) {
			t.Fatalf("accepted with a bad signature: %q", raw)
		}
		var said struct {
			Iss, Sub string
			Exp      float64
		}
		if err := json.Unmarshal(must(base64url.DecodeString(parts[1])), &said); err != nil {
			t.Fatal(err)
		}
		if said.Iss != testIssuer || said.Sub != token.Subject || said.Exp <= float64(testNow.Unix()-30) || !slices.Contains(token.Audience, testAudience) {
			t.Fatalf("accepted: %q", raw)
		}
	})
}
