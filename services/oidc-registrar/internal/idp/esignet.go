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
// eSignet lets nobody read a client, so Register cannot see whose record a duplicate
// is. It takes the record for ours if an earlier try for that id may have got through,
// and for somebody else's if none did. That is wrong if somebody registered the same id
// at eSignet directly while this service could not reach it.
type ESignet struct{ caller *caller }

// NewESignet returns the connector of the eSignet at o.URL.
func NewESignet(o Options) (*ESignet, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	return &ESignet{c}, nil
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
func (e *ESignet) Register(ctx context.Context, c registrar.Client, repeated bool) (registrar.ProviderRecord, error) {
	body := newESignetClient(c)
	body.ClientID, body.PublicKey, body.RelyingPartyID = c.ID, json.RawMessage(c.Key.JWK), c.PartnerID
	acted, err := e.call(ctx, http.MethodPost, "/client-mgmt/oidc-client", c.ID, body)
	if isDuplicate(err) && (repeated || acted) {
		err = nil
	}
	return registrar.ProviderRecord{}, err
}

// Update replaces what can change in c, with its status.
func (e *ESignet) Update(ctx context.Context, c registrar.Client, record registrar.ProviderRecord) (registrar.ProviderRecord, error) {
	body := newESignetClient(c)
	body.Status = c.Status
	_, err := e.call(ctx, http.MethodPut, "/client-mgmt/oidc-client/"+url.PathEscape(c.ID), c.ID, body)
	return record, err
}

// RollsKeys is false: none of eSignet's releases changes the key of a client.
func (e *ESignet) RollsKeys() bool { return false }

// call sends a client in the provider's envelope. acted says that a failed try
// before the one that was answered may have had its effect.
func (e *ESignet) call(ctx context.Context, method, path, id string, body esignetClient) (acted bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	a, err := e.caller.json(ctx, method, e.caller.base+path, struct {
		RequestTime string        `json:"requestTime"`
		Request     esignetClient `json:"request"`
	}{e.caller.now().UTC().Format("2006-01-02T15:04:05.000Z"), body})
	if err != nil {
		return a.acted, err
	}
	if a.denied() {
		return a.acted, unreachable("%s %s: %s", method, path, a.denial())
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

// isDuplicate reports whether eSignet knows the client's id already.
func isDuplicate(err error) bool {
	refusal, ok := errors.AsType[*registrar.Error](err)
	return ok && refusal.ProviderCode == "duplicate_client_id"
}
