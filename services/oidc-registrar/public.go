package registrar

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
)

// ClientType is the type of a client (RFC 6749 §2.1). It never changes.
type ClientType string

const (
	Confidential ClientType = "confidential" // authenticates with a key
	Public       ClientType = "public"       // has no key; the provider enforces PKCE with S256
)

// Values returns every value.
func (ClientType) Values() []ClientType { return []ClientType{Confidential, Public} }

// noneMethod is the authentication method of a public client, its only one.
const noneMethod = "none"

func isPublic(methods []string) bool { return len(methods) == 1 && methods[0] == noneMethod }

// IsPublic reports whether c is a public client.
func (c Client) IsPublic() bool { return isPublic(c.AuthMethods) }

// pkceSetting is the setting of a public client in additionalConfig. An imported one may lack it.
const pkceSetting = `"require_pkce":true`

// withPKCE returns additionalConfig with the setting of a public client: the provider enforces PKCE.
func withPKCE(config string) string {
	members := map[string]any{}
	if json.Unmarshal([]byte(cmp.Or(config, "{}")), &members) != nil {
		return config // refused before
	}
	members["require_pkce"] = true
	return canonicalJSON([]byte(jsonText(members)))
}

var errNoKey = errors.New("is of a public client, which has no key")

// publicID returns the id of a public client in the partner API. A repeated registration has the same id.
func publicID(in *Request) string {
	uris := slices.Sorted(slices.Values(in.RedirectURIs))
	sum := sha256.Sum256([]byte(jsonText([]any{in.PartnerID, in.PolicyID, in.Name, uris})))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// checkType refuses a client of a type that its policy does not permit.
func (p Policy) checkType(c Client) error {
	wanted, permitted := Confidential, p.ClientTypes
	if c.IsPublic() {
		wanted = Public
	}
	if len(permitted) == 0 {
		permitted = []string{string(Confidential)}
	}
	if slices.Contains(permitted, string(wanted)) {
		return nil
	}
	field := "clientAuthMethods.0"
	var found problems
	err := fmt.Errorf("is the method of a %s client, but policy %s has the clientTypes %s: a PARTNER_ADMIN can add %s",
		wanted, p.ID, strings.Join(permitted, ", "), wanted)
	found.add(field, InvalidAuthMethod, withValue(c.AuthMethods[0], err))
	return found.err()
}

// refuseKeys refuses an operation on the keys of a public client.
func (c Client) refuseKeys() error {
	if !c.IsPublic() {
		return nil
	}
	return refusal.New(InvalidKey, "client %s is a public client, which has no key", c.ID)
}
