package idp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ESignet is the connector of eSignet's client management.
//
// eSignet lets nobody read a client, and says "duplicate" of an id before it looks at the
// key. So when an earlier try may have got through, a duplicate may be that, or a client
// of somebody else. It counts as ours if nobody else writes to that eSignet
// (Options.SoleWriter), or if somebody has confirmed it; else it is doubtful, and nothing
// is sent that would change it.
type ESignet struct {
	caller *caller
	sole   bool
}

// NewESignet returns the connector of the eSignet at o.URL.
func NewESignet(o Options) (*ESignet, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &ESignet{c, o.SoleWriter}, nil
}

// esignetClient is a client in eSignet's spelling. An update leaves out what it cannot
// change.
type esignetClient struct {
	ClientID       string                 `json:"clientId,omitempty"`
	ClientName     string                 `json:"clientName"`
	PublicKey      json.RawMessage        `json:"publicKey,omitempty"`
	RelyingPartyID string                 `json:"relyingPartyId,omitempty"`
	UserClaims     []string               `json:"userClaims"`
	ACRs           []string               `json:"authContextRefs"`
	LogoURI        string                 `json:"logoUri"`
	RedirectURIs   []string               `json:"redirectUris"`
	GrantTypes     []string               `json:"grantTypes"`
	AuthMethods    []string               `json:"clientAuthMethods"`
	Status         registrar.ClientStatus `json:"status,omitempty"`
}

func newESignetClient(c registrar.Client) esignetClient {
	return esignetClient{
		ClientName: c.Name, UserClaims: list(c.UserClaims), ACRs: list(c.ACRs), LogoURI: c.LogoURI,
		RedirectURIs: list(c.RedirectURIs), GrantTypes: list(c.GrantTypes), AuthMethods: list(c.AuthMethods),
	}
}

// list keeps an empty list from becoming null.
func list(l []string) []string { return append([]string{}, l...) }

// Register creates c, which eSignet makes ACTIVE.
func (e *ESignet) Register(ctx context.Context, c registrar.Client, prior registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return registrar.ProviderRecord{}, e.register(ctx, c, prior)
}

func (e *ESignet) register(ctx context.Context, c registrar.Client, prior registrar.Prior) error {
	body := newESignetClient(c)
	body.ClientID, body.PublicKey, body.RelyingPartyID = c.ID, json.RawMessage(c.Key.JWK), c.PartnerID
	acted, err := e.call(ctx, http.MethodPost, "/client-mgmt/oidc-client", c.ID, body)
	if !isCode(err, "duplicate_client_id") {
		return err
	}
	if acted && prior == registrar.PriorNone {
		prior = registrar.PriorUnknown
	}
	switch {
	case prior == registrar.PriorOurs, prior == registrar.PriorUnknown && e.sole:
		return e.put(ctx, c, registrar.ClientActive) // it may have an earlier form of the client
	case prior == registrar.PriorUnknown:
		return doubtful("eSignet has a client %s: an earlier try may have made it, or somebody else", c.ID)
	}
	return err
}

// Update replaces what can change in c, with its status.
func (e *ESignet) Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord, _ registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return record, e.put(ctx, c, c.Status)
}

// put replaces what can change in c. It is for a client that is known to be ours.
func (e *ESignet) put(ctx context.Context, c registrar.Client, status registrar.ClientStatus) error {
	body := newESignetClient(c)
	body.Status = status
	_, err := e.call(ctx, http.MethodPut, "/client-mgmt/oidc-client/"+url.PathEscape(c.ID), c.ID, body)
	return err
}

// Remove makes c INACTIVE, since eSignet deletes no client. If it may be somebody else's it
// is registered first, which eSignet does only if nobody has the id: then it is ours.
func (e *ESignet) Remove(ctx context.Context, c registrar.Client, _ registrar.ProviderRecord, prior registrar.Prior) (registrar.Prior, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if prior == registrar.PriorUnknown && !e.sole {
		err := e.register(ctx, c, prior)
		if isRefusal(err) {
			err = doubtful("eSignet refuses a client %s that it may have: %v", c.ID, err)
		}
		if err != nil {
			return prior, err
		}
		prior = registrar.PriorOurs
	}
	err := e.put(ctx, c, registrar.ClientInactive)
	if isCode(err, "invalid_client_id") { // it has none
		return registrar.PriorNone, nil
	}
	return prior, err
}

// RollsKeys is false: none of eSignet's releases changes the key of a client.
func (e *ESignet) RollsKeys() bool { return false }

// call sends a client in the provider's envelope. acted says that a failed try
// before the one that was answered may have had its effect.
func (e *ESignet) call(ctx context.Context, method, path, id string, body esignetClient) (acted bool, err error) {
	a, err := e.caller.json(ctx, method, e.caller.base+path, struct {
		RequestTime string        `json:"requestTime"`
		Request     esignetClient `json:"request"`
	}{e.caller.now().UTC().Format("2006-01-02T15:04:05.000Z"), body})
	if err != nil {
		return a.acted, err
	}
	if a.denied() {
		return a.acted, a.rejected(method + " " + path)
	}
	var reply struct {
		Response *struct {
			ClientID string `json:"clientId"`
		} `json:"response"`
		Errors []struct {
			Code    string `json:"errorCode"`
			Message string `json:"errorMessage"`
		} `json:"errors"`
	}
	if err := a.decode(&reply); err != nil {
		return a.acted, err
	}
	switch {
	case len(reply.Errors) > 0 && reply.Errors[0].Code == "unknown_error":
		// eSignet says this of its own failures, such as a lost database.
		return a.acted, unreachable("%s %s: unknown_error", method, path)
	case len(reply.Errors) > 0:
		return a.acted, refused(reply.Errors[0].Code, reply.Errors[0].Message)
	case a.status >= 300 || reply.Response == nil || reply.Response.ClientID != id:
		return a.acted, unreachable("%s %s: status %d without the client in it", method, path, a.status)
	}
	return a.acted, nil
}

// isCode reports whether err is a refusal with a code of eSignet.
func isCode(err error, code string) bool {
	refusal, ok := errors.AsType[*registrar.Error](err)
	return ok && refusal.Reason == registrar.ProviderRefused && refusal.ProviderCode == code
}
