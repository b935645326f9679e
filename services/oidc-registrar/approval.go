package registrar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// ApprovalState is where an Approval stands.
type ApprovalState string

const (
	ApprovalAsking      ApprovalState = "asking"      // the approval service has yet to get the request
	ApprovalWaiting     ApprovalState = "waiting"     // people are asked
	ApprovalGranted     ApprovalState = "granted"     // what it is for may go out
	ApprovalDenied      ApprovalState = "denied"      // rejected, cancelled or expired; Words say why
	ApprovalWithdrawing ApprovalState = "withdrawing" // the client has changed since: the request has yet to be cancelled
	ApprovalWithdrawn   ApprovalState = "withdrawn"
)

// AskAgain is how often it is asked how a request stands. Webhooks are faster, and may be
// lost.
const AskAgain = 5 * time.Minute

// Approval asks people whether one revision of a client may go to the identity provider.
// It is for that revision alone: what changes is asked for anew, under the next number.
type Approval struct {
	ClientID string
	Revision int64 // counts what was asked for a client, from 1
	State    ApprovalState

	Kind   CallKind // what goes out: the registration, or an update
	Wanted Update   // of an update

	Policy    string // of the approval service
	Requester string // who registered or changed the client
	Title     string
	Context   string // JSON: what is to be approved

	RequestID   string // of the approval service, once it has the request
	ContextHash string // what it has approved must have this
	Words       string // of whoever said no

	AskedAt  time.Time
	DueAt    time.Time // when the approval service is called next
	Attempts int       // those that were begun
}

// Verdict is what the approval service says of a request.
type Verdict struct {
	RequestID   string
	ContextHash string
	Status      string // approved, rejected, cancelled, expired, unknown, or one that is not the last
	Words       string
}

// NeedsApproval reports whether a change from c to after needs an approval, under a policy
// that asks for one: any does but a name, a logo, and to switch off. What the identity
// provider has not confirmed always does.
func (c Client) NeedsApproval(after Client) bool {
	return c.Registering() || slices.ContainsFunc(c.Changes(after), func(name string) bool {
		return name != "clientName" && name != "logoUri" && (name != "status" || after.Status != ClientInactive)
	})
}

// Ask is the approval that the client needs to become after, numbered after last. For an
// update, wanted is the change that leads from c to after.
func (c Client) Ask(after Client, kind CallKind, wanted Update, policy, requester string, last int64, at time.Time) (Approval, error) {
	context, err := json.Marshal(map[string]any{
		"clientId": after.ID, "side": after.Door, "revision": last + 1, "change": kind, "changed": append([]string{}, c.Changes(after)...),
		"name": after.Name, "partnerId": after.PartnerID, "policyId": after.PolicyID, "keys": thumbprints(after),
		"userClaims": append([]string{}, after.UserClaims...), "authContextRefs": append([]string{}, after.ACRs...), "logoUri": after.LogoURI,
		"redirectUris": append([]string{}, after.RedirectURIs...), "grantTypes": append([]string{}, after.GrantTypes...),
		"clientAuthMethods": append([]string{}, after.AuthMethods...), "extensions": after.Extensions,
	})
	if err != nil {
		return Approval{}, fmt.Errorf("describe client %s for an approval: %w", c.ID, err)
	}
	title := "Register the client "
	if kind == CallUpdate {
		title = "Change the client "
	}
	name := []rune(title + after.Name)
	return Approval{
		ClientID: after.ID, Revision: last + 1, State: ApprovalAsking, Kind: kind, Wanted: wanted, Policy: policy, Requester: requester,
		Title: string(name[:min(len(name), 200)]), Context: string(context), AskedAt: at, DueAt: at,
	}, nil
}

// thumbprints are what a key is recognised by.
func thumbprints(c Client) (list []string) {
	for _, k := range c.Keys() {
		list = append(list, k.Thumbprint)
	}
	return list
}

// IdempotencyKey is the same for repeated calls, so that they make one request. A client
// that is registered again under the same id has another one.
func (a Approval) IdempotencyKey() string {
	return fmt.Sprintf("client-%s-%d-%d", a.ClientID, a.AskedAt.UnixMilli(), a.Revision)
}

// Open reports whether people may still say yes.
func (a Approval) Open() bool { return a.State == ApprovalAsking || a.State == ApprovalWaiting }

// Received records that the approval service has the request that it was asked to make.
func (a Approval) Received(v Verdict) Approval {
	if a.State == ApprovalAsking {
		a.State, a.RequestID, a.ContextHash = ApprovalWaiting, v.RequestID, v.ContextHash
	}
	return a
}

// Judge applies a verdict. One that is of another request, or of other content, approves
// nothing.
func (a Approval) Judge(v Verdict, at time.Time) Approval {
	switch {
	case a.State != ApprovalWaiting:
		return a
	case v.Status == "unknown": // the approval service was restored: it is asked again
		a.State, a.RequestID, a.DueAt = ApprovalAsking, "", at
	case v.RequestID != a.RequestID || v.ContextHash != a.ContextHash:
		a.State, a.Words = ApprovalDenied, "what was decided is not what was asked"
	case v.Status == "approved":
		a.State = ApprovalGranted
	case v.Status == "rejected" || v.Status == "cancelled" || v.Status == "expired":
		a.State, a.Words = ApprovalDenied, cmp.Or(v.Words, "the request was "+v.Status)
	default:
		a.DueAt = at.Add(AskAgain)
	}
	return a
}

// Withdraw says that nobody needs the approval any more. What the approval service may have
// of it is cancelled.
func (a Approval) Withdraw(at time.Time) Approval {
	switch {
	case !a.Open():
		return a
	case a.State == ApprovalAsking && a.Attempts == 0:
		a.State = ApprovalWithdrawn
	default:
		a.State, a.DueAt = ApprovalWithdrawing, at
	}
	return a
}

// Withdrawn records that the request is cancelled.
func (a Approval) Withdrawn() Approval {
	a.State = ApprovalWithdrawn
	return a
}

// Refusal is the error of a client that was not approved.
func (a Approval) Refusal() Failure {
	return Failure{Reason: NotApproved, Message: "not approved: " + a.Words}
}
