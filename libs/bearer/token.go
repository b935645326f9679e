package bearer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/libs/strictjson"
)

const (
	reasonMissing   Reason = "no authorization header"
	reasonHeader    Reason = "not one bearer authorization header"
	reasonSize      Reason = "token is too long"
	reasonShape     Reason = "not a compact signed token"
	reasonEncoding  Reason = "not strict base64url"
	reasonJSON      Reason = "not strict json"
	reasonType      Reason = "wrong token type"
	reasonExtension Reason = "header extension"
	reasonAlgorithm Reason = "algorithm is not accepted"
	reasonKey       Reason = "unknown key"
	reasonSignature Reason = "signature does not verify"
	reasonTimes     Reason = "missing or malformed time"
	reasonLifetime  Reason = "lifetime is too long"
	reasonExpired   Reason = "expired"
	reasonEarly     Reason = "not valid yet"
	reasonIssuer    Reason = "wrong issuer"
	reasonAudience  Reason = "wrong audience"
	reasonSubject   Reason = "missing or malformed subject"
	reasonID        Reason = "malformed token id"
	reasonRoles     Reason = "too many roles"
	reasonActor     Reason = "malformed actor, or more than 4"
)

const (
	maxToken   = 8192         // bytes
	maxKeyID   = 256          // bytes
	maxSubject = 255          // bytes
	maxRoles   = 512          // over all of Keycloak's lists
	maxActors  = 4            // nested act claims
	maxTime    = 253402300799 // 9999-12-31T23:59:59Z in unix seconds
)

// jsonLimits bound header, claims, key sets and discovery documents.
var jsonLimits = strictjson.Limits{Depth: 16, Members: strictjson.Default.Members}

// base64url has the alphabet of RFC 7515 §2, without padding and with zero trailing bits, so that
// a token has one encoding.
var base64url = base64.RawURLEncoding.Strict()

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// Token is the content of a verified token. Cached Tokens share memory: do not modify Audience,
// AMR or Claims.
type Token struct {
	Issuer   string
	Subject  string // sub, 1 to 255 bytes without control characters
	ID       string // jti, or empty
	Client   string // client_id, azp or appid, in this order; or empty
	Audience []string

	IssuedAt  time.Time // iat
	ExpiresAt time.Time // exp
	notBefore time.Time // nbf, or zero

	// Authentication of the user (OpenID Connect Core 1.0 §2); zero if the claim is absent or
	// malformed.
	AuthTime time.Time
	ACR      string
	AMR      []string

	// Actors are the parties that act for the subject (act, RFC 8693 §4.1): the current one, then the earlier
	// ones. The list is empty if the subject acts for itself.
	Actors []Actor

	// Claims are all claims, decoded to any, with numbers as [json.Number].
	Claims map[string]any
}

// Actor is a party that acts for the subject of a token.
type Actor struct {
	Subject string
	Issuer  string // empty without iss
}

// String returns the value of a claim, or "" if it is not a string.
func (t Token) String(claim string) string {
	s, _ := t.Claims[claim].(string)
	return s
}

// Strings returns the values of a claim that is a string or an array of strings.
func (t Token) Strings(claim string) []string {
	if s := t.String(claim); s != "" {
		return []string{s}
	}
	return stringsOf(t.Claims[claim])
}

// clientOf returns the client of the token, or an empty string.
func clientOf(t Token) string {
	for _, claim := range clientClaims {
		if client := t.String(claim); client != "" {
			return client
		}
	}
	return ""
}

// Service returns the rule that identifies the token as that of a service account; empty for a
// person's token.
func (t Token) Service() string {
	switch {
	case strings.HasPrefix(t.String("preferred_username"), "service-account-"): // Keycloak
		return "preferred_username begins with service-account-"
	case t.Client == t.Subject: // RFC 9068 §2.2: a grant without a resource owner
		return "the client equals sub"
	case t.String("idtyp") == "app": // Microsoft Entra
		return "idtyp equals app"
	default:
		return ""
	}
}

// Scopes returns the scopes of the token (RFC 9068 §2.2.3).
func (t Token) Scopes() []string { return strings.Fields(t.String("scope")) }

// Roles returns the union of the string arrays at these JSON pointers (RFC 6901),
// such as /realm_access/roles, in order and without duplicates. A pointer to a missing value, or
// to a value other than an array of strings, adds no role.
func (t Token) Roles(pointers ...string) []string {
	var roles []string
	for _, pointer := range pointers {
		for _, role := range stringsOf(resolve(t.Claims, pointer)) {
			if !slices.Contains(roles, role) {
				roles = append(roles, role)
			}
		}
	}
	return roles
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// resolve evaluates a JSON pointer through objects. Arrays are not indexed.
func resolve(claims map[string]any, pointer string) any {
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil
	}
	var at any = claims
	for name := range strings.SplitSeq(rest, "/") {
		object, _ := at.(map[string]any)
		at = object[unescapePointer.Replace(name)]
	}
	return at
}

// stringsOf returns v if it is an array of strings, and nil otherwise.
func stringsOf(v any) []string {
	array, _ := v.([]any)
	list := make([]string, 0, len(array))
	for _, element := range array {
		s, ok := element.(string)
		if !ok {
			return nil
		}
		list = append(list, s)
	}
	return list
}

// checkShape checks size, parts and alphabet of a token before any decoding. Go's decoder skips line
// breaks even in strict mode.
func checkShape(token string) error {
	switch {
	case len(token) > maxToken:
		return reasonSize
	case strings.Count(token, ".") != 2 || strings.Trim(token, alphabet+".") != "":
		return reasonShape
	}
	return nil
}

// decodeObject decodes a JSON object under the rules of strictjson.
func decodeObject(data []byte) (map[string]any, error) {
	if err := strictjson.Check(data, jsonLimits); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	if object == nil {
		return nil, errors.New("null is not an object")
	}
	return object, nil
}

// parseHeader returns the key reference of a token of one of the types. All three parts are decoded, and
// the claims checked as strict JSON, before the signature is verified.
func parseHeader(token string, types []string) (keyID, error) {
	var decoded [3][]byte
	for i, part := range strings.Split(token, ".") {
		var err error
		if decoded[i], err = base64url.DecodeString(part); err != nil {
			return keyID{}, reasonEncoding
		}
	}
	header, err := decodeObject(decoded[0])
	if err != nil || strictjson.Check(decoded[1], jsonLimits) != nil {
		return keyID{}, reasonJSON
	}
	// An unsupported critical extension invalidates the token (RFC 7515 §4.1.11). This package
	// supports no extension.
	for _, name := range []string{"crit", "b64", "zip", "cty"} {
		if _, ok := header[name]; ok {
			return keyID{}, reasonExtension
		}
	}
	typ, _ := header["typ"].(string)
	if _, ok := header["typ"]; ok && !slices.Contains(types, typ) {
		return keyID{}, reasonType
	}
	var id keyID
	id.alg, _ = header["alg"].(string)
	if _, ok := algorithms[id.alg]; !ok {
		return keyID{}, reasonAlgorithm
	}
	id.kid, _ = header["kid"].(string)
	if id.kid == "" || len(id.kid) > maxKeyID {
		return keyID{}, reasonKey
	}
	return id, nil
}

// parseClaims parses verified claims and checks all except the times.
func (v *Verifier) parseClaims(payload []byte) (Token, error) {
	claims, err := decodeObject(payload)
	if err != nil {
		return Token{}, reasonJSON
	}
	t := Token{Claims: claims}
	t.Issuer = t.String("iss")
	t.Subject = t.String("sub")
	t.ID = t.String("jti")
	t.Client = clientOf(t)
	t.ACR = t.String("acr")
	t.AMR = stringsOf(claims["amr"])
	t.Audience = stringsOf(claims["aud"])
	if one, ok := claims["aud"].(string); ok {
		t.Audience = []string{one}
	}
	t.AuthTime, _ = timeOf(claims["auth_time"])

	actors, okActors := actorsOf(claims["act"])
	_, hasActor := claims["act"]
	t.Actors = actors

	var okIssued, okExpires bool
	t.IssuedAt, okIssued = timeOf(claims["iat"])
	t.ExpiresAt, okExpires = timeOf(claims["exp"])
	okBefore := true
	if nbf, ok := claims["nbf"]; ok {
		t.notBefore, okBefore = timeOf(nbf)
	}
	_, hasID := claims["jti"]
	_, hasType := claims["typ"]
	switch {
	case !okIssued || !okExpires || !okBefore || !t.ExpiresAt.After(t.IssuedAt):
		return Token{}, reasonTimes
	case t.ExpiresAt.Sub(t.IssuedAt) > MaxLifetime:
		return Token{}, reasonLifetime
	case t.Issuer != v.config.Issuer:
		return Token{}, reasonIssuer
	case !slices.Contains(t.Audience, v.config.Audience):
		return Token{}, reasonAudience
	case !isSubject(t.Subject):
		return Token{}, reasonSubject
	case hasActor && !okActors:
		return Token{}, reasonActor
	case hasID && t.ID == "":
		return Token{}, reasonID
	case hasType && t.String("typ") != "Bearer": // Keycloak: ID and refresh tokens
		return Token{}, reasonType
	case isIDToken(claims):
		return Token{}, reasonType
	case countRoles(claims) > maxRoles:
		return Token{}, reasonRoles
	}
	return t, nil
}

// actorsOf returns the actors of an act claim, the outermost first. A claim that is not entirely understood is
// refused: without it the token would be that of its subject.
func actorsOf(claim any) (actors []Actor, ok bool) {
	for given := true; given; {
		act, _ := claim.(map[string]any)
		sub, _ := act["sub"].(string)
		iss, _ := act["iss"].(string)
		if _, hasIssuer := act["iss"]; !isSubject(sub) || hasIssuer && !isSubject(iss) || len(actors) == maxActors {
			return nil, false
		}
		actors = append(actors, Actor{sub, iss})
		claim, given = act["act"]
	}
	return actors, true
}

// isSubject reports whether a text can be the name of a subject or of an issuer.
func isSubject(s string) bool {
	return s != "" && len(s) <= maxSubject && !strings.ContainsFunc(s, unicode.IsControl)
}

// isIDToken reports whether the claims occur only in ID tokens: at_hash and c_hash (OpenID Connect Core
// 1.0 §3.1.3.6, §3.3.2.11). An ID token without them is refused by an audience other than
// a client id.
func isIDToken(claims map[string]any) bool {
	_, ofAccessToken := claims["at_hash"]
	_, ofCode := claims["c_hash"]
	return ofAccessToken || ofCode
}

// checkTimes checks nbf, iat and exp with the leeway.
func checkTimes(t Token, now time.Time) error {
	latest := now.Add(Leeway)
	switch {
	case !now.Before(t.ExpiresAt.Add(Leeway)):
		return reasonExpired
	case t.IssuedAt.After(latest), t.notBefore.After(latest):
		return reasonEarly
	}
	return nil
}

// timeOf parses a NumericDate (RFC 7519 §2) after 1970 and before the year 10000.
func timeOf(v any) (time.Time, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return time.Time{}, false
	}
	seconds, err := strconv.ParseFloat(number.String(), 64)
	if err != nil || !(seconds > 0 && seconds <= maxTime) {
		return time.Time{}, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)).UTC(), true
}

// countRoles counts Keycloak's roles: realm_access.roles and
// resource_access.*.roles.
func countRoles(claims map[string]any) int {
	count := func(access any) int {
		object, _ := access.(map[string]any)
		roles, _ := object["roles"].([]any)
		return len(roles)
	}
	n := count(claims["realm_access"])
	clients, _ := claims["resource_access"].(map[string]any)
	for _, access := range clients {
		n += count(access)
	}
	return n
}
