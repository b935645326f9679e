package registrar_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Keys are dear to make, so each is made once.
var (
	rsaKey     = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	p256Key    = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	p384Key    = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)) })
	ed25519Key = sync.OnceValue(func() ed25519.PublicKey { p, _, _ := ed25519.GenerateKey(rand.Reader); return p })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// object is a JWK under construction.
type object map[string]any

// with returns a copy of o with more members; nil removes one.
func (o object) with(pairs ...any) object {
	o = maps.Clone(o)
	for i := 0; i < len(pairs); i += 2 {
		if o[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(o, pairs[i].(string))
		}
	}
	return o
}

func (o object) json() string { return string(must(json.Marshal(o))) }

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func rsaJWK(n *big.Int) object { return object{"kty": "RSA", "n": b64(n.Bytes()), "e": "AQAB"} }

func ecJWK(k *ecdsa.PrivateKey) object {
	point := must(k.PublicKey.Bytes())
	half := len(point) / 2
	return object{"kty": "EC", "crv": k.Params().Name, "x": b64(point[1 : half+1]), "y": b64(point[half+1:])}
}

// prime returns a prime of exactly this many bits.
func prime(bits int) *big.Int { return must(rand.Prime(rand.Reader, bits)) }

// semiprime returns the product of two primes that has exactly this many bits.
// Both have their two highest bits set, so none gets lost.
func semiprime(bits int) *big.Int { return new(big.Int).Mul(prime(bits/2), prime(bits-bits/2)) }

// big4096 is a modulus at the limit.
var big4096 = sync.OnceValue(func() *big.Int { return semiprime(4096) })

// odd returns an odd number of exactly this many bits.
func odd(bits int) *big.Int {
	n := must(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), uint(bits-1))))
	return n.SetBit(n.SetBit(n, 0, 1), bits-1, 1)
}

// rocaPrime returns a prime as the generator of CVE-2017-15361 would make it.
func rocaPrime() *big.Int {
	m := big.NewInt(1)
	for p := int64(2); p <= 701; p++ {
		if big.NewInt(p).ProbablyPrime(0) {
			m.Mul(m, big.NewInt(p))
		}
	}
	room := new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), 1024), m)
	for {
		p := new(big.Int).Exp(big.NewInt(65537), must(rand.Int(rand.Reader, m)), m)
		k := new(big.Int).Sub(room, must(rand.Int(rand.Reader, new(big.Int).Rsh(room, 3))))
		if p.Add(p, k.Mul(k, m)); p.BitLen() == 1024 && p.ProbablyPrime(0) {
			return p
		}
	}
}

// nextPrime returns the first prime from n on.
func nextPrime(n *big.Int) *big.Int {
	p := new(big.Int).SetBit(n, 0, 1)
	for !p.ProbablyPrime(0) {
		p.Add(p, big.NewInt(2))
	}
	return p
}

// certificate returns a self-signed certificate for key.
func certificate(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func TestTheKeyOfARegistration(t *testing.T) {
	good := rsaJWK(rsaKey().N)
	n := rsaKey().N
	p256, p384 := ecJWK(p256Key()), ecJWK(p384Key())
	ed := object{"kty": "OKP", "crv": "Ed25519", "x": b64(ed25519Key())}
	der := certificate(t, rsaKey())
	other := certificate(t, p256Key())
	x5c := func(der []byte) []string { return []string{base64.StdEncoding.EncodeToString(der)} }
	sum1, sum256 := sha1.Sum(der), sha256.Sum256(der)
	zeros32, zeros48 := make([]byte, 32), make([]byte, 48)
	ones32 := bytes.Repeat([]byte{0xff}, 32)

	const ok = registrar.Reason("")
	tests := map[string]struct {
		key  string
		want registrar.Reason
	}{
		"an RSA key of 2048 bits is taken":             {good.json(), ok},
		"an RSA key of 4096 bits is taken":             {rsaJWK(big4096()).json(), ok},
		"an RSA key of 2049 bits is taken":             {rsaJWK(semiprime(2049)).json(), ok},
		"leading zero octets of a modulus are dropped": {good.with("n", b64(append([]byte{0}, n.Bytes()...))).json(), ok},
		"a key on P-256 is taken":                      {p256.json(), ok},
		"a key on P-384 is taken":                      {p384.json(), ok},
		"use sig is taken":                             {good.with("use", "sig").json(), ok},
		"key_ops verify is taken":                      {good.with("key_ops", []string{"verify"}).json(), ok},
		"no key_ops are taken":                         {good.with("key_ops", []string{}).json(), ok},
		"RS256 fits an RSA key":                        {good.with("alg", "RS256").json(), ok},
		"PS512 fits an RSA key":                        {good.with("alg", "PS512").json(), ok},
		"ES256 fits P-256":                             {p256.with("alg", "ES256").json(), ok},
		"unknown members are omitted":                  {good.with("ext", true, "issued", 7).json(), ok},
		"x5c of this key is taken":                     {good.with("x5c", x5c(der), "x5t", b64(sum1[:]), "x5t#S256", b64(sum256[:])).json(), ok},
		"a missing key":                                {``, registrar.MissingKey},
		"a null key":                                   {`null`, registrar.MissingKey},
		"an empty object":                              {` { } `, registrar.MissingKey},
		"text":                                         {`"key"`, registrar.InvalidKey},
		"a list":                                       {`[{}]`, registrar.InvalidKey},
		"broken JSON":                                  {`{"kty":"RSA"`, registrar.InvalidKey},
		"two documents":                                {good.json() + good.json(), registrar.InvalidKey},
		"a key set":                                    {object{"keys": []object{good}}.json(), registrar.InvalidKey},
		"a key of 33 KiB":                              {good.with("ext", strings.Repeat("a", 33<<10)).json(), registrar.InvalidKey},
		"no kty":                                       {good.with("kty", nil).json(), registrar.InvalidKey},
		"kty in lower case":                            {good.with("kty", "rsa").json(), registrar.InvalidKey},
		"kty null":                                     {good.with("kty", json.RawMessage("null")).json(), registrar.InvalidKey},
		"kty a number":                                 {good.with("kty", 7).json(), registrar.InvalidKey},
		"a symmetric key is a secret":                  {`{"kty":"oct","k":"c2VjcmV0LXZhbHVl"}`, registrar.PrivateKey},
		"Ed25519 needs leave":                          {ed.json(), registrar.InvalidKey},
		"RSA with d":                                   {good.with("d", b64(rsaKey().D.Bytes())).json(), registrar.PrivateKey},
		"RSA with D":                                   {good.with("D", "AQAB").json(), registrar.PrivateKey},
		"RSA with Qi alone":                            {good.with("Qi", "AQAB").json(), registrar.PrivateKey},
		"RSA with p alone":                             {good.with("p", "AQAB").json(), registrar.PrivateKey},
		"RSA with q alone":                             {good.with("q", "AQAB").json(), registrar.PrivateKey},
		"RSA with dp alone":                            {good.with("dp", "AQAB").json(), registrar.PrivateKey},
		"RSA with dq alone":                            {good.with("dq", "AQAB").json(), registrar.PrivateKey},
		"RSA with qi alone":                            {good.with("qi", "AQAB").json(), registrar.PrivateKey},
		"RSA with oth alone":                           {good.with("oth", []string{}).json(), registrar.PrivateKey},
		"RSA with d null":                              {good.with("d", json.RawMessage("null")).json(), registrar.PrivateKey},
		"EC with d":                                    {p256.with("d", b64(zeros32)).json(), registrar.PrivateKey},
		"RSA of 2047 bits":                             {rsaJWK(odd(2047)).json(), registrar.InvalidKey},
		"RSA of 4097 bits":                             {rsaJWK(new(big.Int).SetBit(big.NewInt(1), 4096, 1)).json(), registrar.InvalidKey},
		"RSA of 16384 bits":                            {rsaJWK(new(big.Int).SetBit(big.NewInt(1), 16383, 1)).json(), registrar.InvalidKey},
		"RSA with n zero":                              {good.with("n", "AA").json(), registrar.InvalidKey},
		"RSA with n empty":                             {good.with("n", "").json(), registrar.InvalidKey},
		"RSA without n":                                {good.with("n", nil).json(), registrar.InvalidKey},
		"RSA without e":                                {good.with("e", nil).json(), registrar.InvalidKey},
		"RSA with e = 1":                               {good.with("e", "AQ").json(), registrar.InvalidKey},
		"RSA with e = 3":                               {good.with("e", "Aw").json(), registrar.InvalidKey},
		"RSA with e even":                              {good.with("e", b64([]byte{1, 0, 0})).json(), registrar.InvalidKey},
		"RSA with a huge e":                            {good.with("e", b64(n.Bytes())).json(), registrar.InvalidKey},
		"n with padding":                               {good.with("n", good["n"].(string)+"==").json(), registrar.InvalidKey},
		"n in the alphabet of plain base64":            {good.with("n", "+/"+good["n"].(string)[2:]).json(), registrar.InvalidKey},
		"n with a line break":                          {good.with("n", good["n"].(string)[:40]+"\n"+good["n"].(string)[40:]).json(), registrar.InvalidKey},
		"n with loose bits at the end":                 {good.with("n", strings.TrimRight(good["n"].(string), "AQgw")+"B").json(), registrar.InvalidKey},
		"two n members":                                {strings.Replace(good.json(), "{", `{"n":"AQAB",`, 1), registrar.InvalidKey},
		"two n members, one escaped":                   {strings.Replace(good.json(), "{", `{"\u006e":"AQAB",`, 1), registrar.InvalidKey},
		"EC at infinity":                               {p256.with("x", b64(zeros32), "y", b64(zeros32)).json(), registrar.InvalidKey},
		"P-384 at infinity":                            {p384.with("x", b64(zeros48), "y", b64(zeros48)).json(), registrar.InvalidKey},
		"EC with x beyond the field":                   {p256.with("x", b64(ones32)).json(), registrar.InvalidKey},
		"EC off the curve":                             {p256.with("x", p256["y"], "y", p256["x"]).json(), registrar.InvalidKey},
		"EC with a short coordinate":                   {p256.with("x", b64(zeros32[1:])).json(), registrar.InvalidKey},
		"EC with a long coordinate":                    {p256.with("x", b64(zeros48)).json(), registrar.InvalidKey},
		"EC without y":                                 {p256.with("y", nil).json(), registrar.InvalidKey},
		"EC without crv":                               {p256.with("crv", nil).json(), registrar.InvalidKey},
		"a point of P-256 as P-384":                    {p256.with("crv", "P-384").json(), registrar.InvalidKey},
		"P-192":                                        {p256.with("crv", "P-192").json(), registrar.InvalidKey},
		"P-521":                                        {p256.with("crv", "P-521").json(), registrar.InvalidKey},
		"secp256k1":                                    {p256.with("crv", "secp256k1").json(), registrar.InvalidKey},
		"P-999":                                        {p256.with("crv", "P-999").json(), registrar.InvalidKey},
		"use enc":                                      {good.with("use", "enc").json(), registrar.InvalidKey},
		"use empty":                                    {good.with("use", "").json(), registrar.InvalidKey},
		"key_ops sign":                                 {good.with("key_ops", []string{"sign"}).json(), registrar.InvalidKey},
		"key_ops verify and encrypt":                   {good.with("key_ops", []string{"verify", "encrypt"}).json(), registrar.InvalidKey},
		"key_ops text":                                 {good.with("key_ops", "verify").json(), registrar.InvalidKey},
		"ES256 on RSA":                                 {good.with("alg", "ES256").json(), registrar.InvalidKey},
		"ES256 on P-384":                               {p384.with("alg", "ES256").json(), registrar.InvalidKey},
		"alg none":                                     {good.with("alg", "none").json(), registrar.InvalidKey},
		"alg HS256":                                    {good.with("alg", "HS256").json(), registrar.InvalidKey},
		"kid a number":                                 {good.with("kid", 7).json(), registrar.InvalidKey},
		"kid blank":                                    {good.with("kid", " ").json(), registrar.InvalidKey},
		"kid of 257 characters":                        {good.with("kid", strings.Repeat("k", 257)).json(), registrar.InvalidKey},
		"kid with a line break":                        {good.with("kid", "a\nb").json(), registrar.InvalidKey},
		"x5c of another key":                           {good.with("x5c", x5c(other)).json(), registrar.InvalidKey},
		"x5c empty":                                    {good.with("x5c", []string{}).json(), registrar.InvalidKey},
		"x5c not a certificate":                        {good.with("x5c", x5c([]byte("no"))).json(), registrar.InvalidKey},
		"x5c not base64":                               {good.with("x5c", []string{"***"}).json(), registrar.InvalidKey},
		"x5t of another certificate":                   {good.with("x5c", x5c(der), "x5t", b64(sum1[1:])).json(), registrar.InvalidKey},
		"x5t#S256 of another certificate":              {good.with("x5c", x5c(der), "x5t#S256", b64(make([]byte, 32))).json(), registrar.InvalidKey},
		"x5u":                                          {good.with("x5u", "https://rp.example/key").json(), registrar.InvalidKey},
		"jku":                                          {good.with("jku", "https://rp.example/keys").json(), registrar.InvalidKey},
		"the RSA example of RFC 7517, private in public": {publishedKeys["RFC 7517 A.2 and RFC 7638 3.1"], registrar.InvalidKey},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			key, dropped, err := registrar.DefaultRules().ParseKey([]byte(tt.key))
			if tt.want != ok {
				if !errors.Is(err, tt.want) || key != (registrar.Key{}) {
					t.Fatalf("ParseKey = %v, %v; want %s", key, err, tt.want)
				}
				return
			}
			if err != nil || dropped {
				t.Fatalf("ParseKey = dropped %t, %v", dropped, err)
			}
			again, _, err := registrar.DefaultRules().ParseKey([]byte(key.JWK))
			if err != nil || again != key {
				t.Errorf("what ParseKey keeps reads as %+v, %v", again, err)
			}
		})
	}
}

// group14 is a prime of 2,048 bits (RFC 3526 §3), which a key is not made of.
var group14, _ = new(big.Int).SetString(
	"FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437"+
		"4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF05"+
		"98DA48361C55D39A69163FA8FD24CF5F83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"+
		"E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA051015728E5A8AACAA68FFFFFFFFFFFFFFFF", 16)

func TestWeakModuliAreRejectedWithTheirWeakness(t *testing.T) {
	p := prime(1024)
	product := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	for name, tt := range map[string]struct {
		n    *big.Int
		word string // of the message
	}{
		"even":                 {product(big.NewInt(2), odd(2047)), "even"},
		"with the factor 3":    {product(big.NewInt(3), odd(2047)), "small factor"},
		"with the factor 8191": {product(big.NewInt(8191), product(p, p)), "small factor"},
		"from ROCA primes":     {product(rocaPrime(), rocaPrime()), "ROCA"},
		"a square":             {product(p, p), "too close"},
		"of neighbours":        {product(p, nextPrime(new(big.Int).Add(p, big.NewInt(2)))), "too close"},
		"a prime":              {group14, "a prime"},
		"of near neighbours":   {product(p, nextPrime(new(big.Int).Add(p, new(big.Int).Lsh(big.NewInt(1), 514)))), "too close"},
	} {
		_, _, err := registrar.DefaultRules().ParseKey([]byte(rsaJWK(tt.n).json()))
		if !errors.Is(err, registrar.InvalidKey) || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("a modulus %s of %d bits: %v", name, tt.n.BitLen(), err)
		}
	}
}

func TestOneKeyHasOneThumbprint(t *testing.T) {
	rules := registrar.DefaultRules()
	n := b64(rsaKey().N.Bytes())
	plain, _, err := rules.ParseKey([]byte(`{"kty":"RSA","n":"` + n + `","e":"AQAB"}`))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(`{"e":"AQAB","kty":"RSA","n":"` + n + `"}`)) // RFC 7638 §3.1
	if want := b64(sum[:]); plain.Thumbprint != want || plain.ID != want {
		t.Errorf("thumbprint %s, kid %s; want %s for both", plain.Thumbprint, plain.ID, want)
	}
	named, _, err := rules.ParseKey([]byte(`{"ext":1, "e":"AQAB","n":"` + n + `","kid":"k <1>","use":"sig","kty":"RSA"}`))
	if err != nil {
		t.Fatal(err)
	}
	if named.Thumbprint != plain.Thumbprint || named.ID != "k <1>" || named == plain {
		t.Errorf("the same key, named, is %+v", named)
	}
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal([]byte(named.Set()), &set); err != nil || len(set.Keys) != 1 ||
		set.Keys[0]["kid"] != "k <1>" || set.Keys[0]["use"] != "sig" {
		t.Errorf("Set() = %s, %v", named.Set(), err)
	}
}

func TestPrivateMembersAreDroppedOnRequest(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.DropPrivate = true
	public, _, _ := rules.ParseKey([]byte(rsaJWK(rsaKey().N).json()))
	secret := b64(rsaKey().D.Bytes())
	key, dropped, err := rules.ParseKey([]byte(rsaJWK(rsaKey().N).with("d", secret, "p", secret).json()))
	if err != nil || !dropped || key != public {
		t.Errorf("ParseKey = %+v, %t, %v; want %+v", key, dropped, err, public)
	}
	if _, _, err := rules.ParseKey([]byte(`{"kty":"oct","k":"` + secret + `"}`)); !errors.Is(err, registrar.PrivateKey) {
		t.Errorf("a symmetric key: %v; nothing is left once its secret is dropped", err)
	}
}

func TestRefusalsOfKeysHoldNoKeyMaterial(t *testing.T) {
	secret := b64(rsaKey().D.Bytes())
	good := rsaJWK(rsaKey().N)
	for _, key := range []object{
		good.with("d", secret), good.with("oth", []string{secret}), good.with("kty", secret), good.with("n", secret+"="),
		good.with("alg", secret), good.with("use", secret), good.with("crv", secret, "kty", "EC"), good.with("x5c", secret),
		good.with("kid", secret), good.with(secret, json.RawMessage(`{"a":1,"a":2}`)),
	} {
		if _, _, err := registrar.DefaultRules().ParseKey([]byte(key.json())); err == nil || strings.Contains(err.Error(), secret[:20]) {
			t.Errorf("refused with %v", err)
		}
	}
}

func TestPublishedKeysAreBlocked(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.AllowEd25519 = true
	for source, key := range publishedKeys {
		if _, _, err := rules.ParseKey([]byte(key)); err == nil || !strings.Contains(err.Error(), "published") {
			t.Errorf("the key of %s: %v", source, err)
		}
	}
}

func TestEd25519ByConfiguration(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.AllowEd25519 = true
	jwk := func(x []byte) []byte { return []byte(object{"kty": "OKP", "crv": "Ed25519", "x": b64(x)}.json()) }
	for range 50 {
		public, _, _ := ed25519.GenerateKey(rand.Reader)
		if _, _, err := rules.ParseKey(jwk(public)); err != nil {
			t.Fatalf("%x: %v", public, err)
		}
	}
	// The encodings of small order and beyond the field, as in libsodium's list.
	for _, x := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"0200000000000000000000000000000000000000000000000000000000000000", // not on the curve
		"01",
	} {
		if _, _, err := rules.ParseKey(jwk(must(hex.DecodeString(x)))); !errors.Is(err, registrar.InvalidKey) {
			t.Errorf("%s: %v", x, err)
		}
	}
	x25519 := bytes.Replace(jwk(ed25519Key()), []byte("Ed25519"), []byte("X25519"), 1)
	if _, _, err := rules.ParseKey(x25519); !errors.Is(err, registrar.InvalidKey) {
		t.Errorf("X25519: %v", err)
	}
}

// BenchmarkParseKey measures the cost.
func TestAModulusThatIsTooLongIsRefusedForItsLengthAlone(t *testing.T) {
	_, _, err := registrar.DefaultRules().ParseKey([]byte(rsaJWK(new(big.Int).SetBit(new(big.Int), 16383, 1)).json())) // and even
	if !errors.Is(err, registrar.InvalidKey) || !strings.Contains(err.Error(), "more than 4096 bits") {
		t.Errorf("error: %v", err)
	}
}

func BenchmarkParseKey(b *testing.B) {
	for _, bits := range []int{2048, 4096, 16384} {
		key := []byte(rsaJWK(new(big.Int).SetBit(big.NewInt(1), bits-1, 1)).json())
		if bits <= 4096 {
			key = []byte(rsaJWK(semiprime(bits)).json())
		}
		b.Run(fmt.Sprint(bits), func(b *testing.B) {
			for b.Loop() {
				registrar.DefaultRules().ParseKey(key)
			}
		})
	}
}

func FuzzParseKey(f *testing.F) {
	for _, key := range publishedKeys {
		f.Add([]byte(key))
	}
	good := rsaJWK(rsaKey().N)
	f.Add([]byte(good.json()))
	f.Add([]byte(good.with("kid", "a", "alg", "PS256", "use", "sig").json()))
	f.Add([]byte(ecJWK(p256Key()).json()))
	f.Add([]byte(ecJWK(p384Key()).with("d", "AAAA").json()))
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":"` + b64(ed25519Key()) + `"}`))
	rules := registrar.DefaultRules()
	rules.AllowEd25519, rules.DropPrivate = true, true
	f.Fuzz(func(t *testing.T, raw []byte) {
		key, _, err := rules.ParseKey(raw)
		if err != nil {
			if refused, ok := errors.AsType[*refusal.Error](err); !ok || refused.Reason == "" {
				t.Fatalf("an error that is no refusal: %v", err)
			}
			return
		}
		var members map[string]string
		if err := json.Unmarshal([]byte(key.JWK), &members); err != nil {
			t.Fatalf("kept %q: %v", key.JWK, err)
		}
		for _, private := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
			if _, there := members[private]; there {
				t.Fatalf("kept %s: %q", private, key.JWK)
			}
		}
		if again, dropped, err := rules.ParseKey([]byte(key.JWK)); err != nil || dropped || again != key {
			t.Fatalf("%q reads as %+v, %v", key.JWK, again, err)
		}
	})
}
