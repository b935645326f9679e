package registrar_test

import (
	"errors"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// The answers were made by another program (Python's cryptography) from the keys of RFC
// 7638 §3.1, RFC 7517 appendix A.1 and RFC 8037 appendix A.2.
var knownIDs = []struct{ name, jwk, thumbprint, subject string }{
	{
		"RSA", `{"kty":"RSA","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}`,
		"NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "r8wFdTGflhPpc8dV8h456zgBQyRa86QKFnsahBjVrIs",
	},
	{
		"EC P-256", `{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`,
		"cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s", "-U6pst_JnTX6Pz9L0IbAnNRViBPn8V4SQSWMNqF5Iqo",
	},
	{
		"EC P-384",
		`{"kty":"EC","crv":"P-384","x":"eunh2xFgeUxwwe8HG-UZH2xmJA9GCPvopE7NNsPtXbl1APLk2E4_tFhQ_W9DAzAr","y":"2KwhREzYDSQVONgDSzmaDe42NutcsAuUmdBhpXHbDxS7R-15RTlI7WPzpsy79udP"}`,
		"2dElPbcT9jzvSNCx6dh2QkSjg9fx6QJZdPb2fUFC-3o", "yqHE9pjaLTQ3fiW2UfZGtz7hSXJYXorMEEYJwfDg6RY",
	},
	{
		"OKP Ed25519", `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`,
		"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "yfwvFfIkAWVfmyYiqKN2UcniC3TcMFzI35W6AF4dZPk",
	},
}

func TestBothRulesMakeTheIDsThatOtherProgramsMake(t *testing.T) {
	for _, known := range knownIDs {
		t.Run(known.name, func(t *testing.T) {
			key := registrar.Key{JWK: known.jwk, Thumbprint: known.thumbprint}
			for rule, want := range map[registrar.IDRule]string{"": known.thumbprint, registrar.ThumbprintID: known.thumbprint,
				registrar.SubjectKeyID: known.subject} {
				if got := rule.ClientID(key); got != want {
					t.Errorf("by rule %q the id is %s, want %s", rule, got, want)
				}
			}
		})
	}
	if got := registrar.SubjectKeyID.ClientID(registrar.Key{JWK: "{}"}); got != "" {
		t.Errorf("no key has the id %s", got)
	}
}

// Members of the JWK that are not the key itself change nothing.
func TestARuleLooksAtTheKeyAlone(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.IDRule, rules.AllowEd25519 = registrar.SubjectKeyID, true
	for name, key := range map[string]object{"RSA": rsaJWK(rsaKey().N), "P-256": ecJWK(p256Key()),
		"P-384": ecJWK(p384Key()), "Ed25519": {"kty": "OKP", "crv": "Ed25519", "x": b64(ed25519Key())}} {
		in := partnerRequest()
		in.PublicKey = []byte(key.json())
		first, err := rules.Register(registrar.PartnerInterface, in)
		if err != nil {
			t.Fatal(name, err)
		}
		in.PublicKey = []byte(key.with("kid", "another", "use", "sig").json())
		second, err := rules.Register(registrar.PartnerInterface, in)
		if err != nil || first.ID != second.ID || len(first.ID) != 43 || first.ID == first.Key.Thumbprint {
			t.Errorf("%s: %s and %s, %v", name, first.ID, second.ID, err)
		}
	}
}

// In the client-management API an id in the form of a partner's is that of its own key, by
// whichever rule.
func TestAProviderIDInTheFormOfAKeyIDIsThatOfItsKey(t *testing.T) {
	for _, rule := range registrar.IDRules {
		rules := registrar.DefaultRules()
		rules.IDRule = rule
		own, err := rules.NewKey([]byte(ecJWK(p256Key()).json()))
		if err != nil {
			t.Fatal(err)
		}
		other, err := rules.NewKey([]byte(ecJWK(p384Key()).json()))
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range registrar.IDRules {
			for id, want := range map[string]error{made.ClientID(own): nil, made.ClientID(other): registrar.InvalidClientID} {
				in := providerRequest()
				in.ClientID, in.PublicKey = id, []byte(ecJWK(p256Key()).json())
				if _, err := rules.Register(registrar.ProviderInterface, in); !errors.Is(err, want) {
					t.Errorf("under %s, an id by %s: %v, want %v", rule, made, err, want)
				}
			}
		}
	}
}
