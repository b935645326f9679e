package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/approval"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// ErrForged reports a webhook that is not from the approval service.
var ErrForged = approval.ErrForged

// approvalLease is the lease of a call to the approval service. After it another worker repeats the
// call. A failed call is repeated then, too.
const approvalLease = time.Minute

// Approvals has the use cases of the approval service.
type Approvals struct{ *core }

// approvalPolicyOr returns own, the approval policy of a catalogue policy, or else the default.
func (g *core) approvalPolicyOr(own string) string { return cmp.Or(own, g.ApprovalPolicy) }

// approvalPolicy returns the approval policy for a client, or an empty string if the client needs
// no approval. exempt are the members that change without one.
func (g *core) approvalPolicy(tx *store.Tx, c registrar.Client) (policy string, exempt []string, err error) {
	if c.PolicyID == "" {
		return g.approvalPolicyOr(""), nil, nil
	}
	own, exempt, err := tx.Catalog.ApprovalPolicy(c.PolicyID)
	return g.approvalPolicyOr(own), exempt, err
}

// requestApproval stores an approval for a change that needs one and reports whether it did. It withdraws the
// previous approval of the client. wanted is the update of an ACTIVE or INACTIVE client; a new
// client is both before and after.
func (g *core) requestApproval(tx *store.Tx, before, after registrar.Client, wanted registrar.Update, by Caller) (bool, error) {
	last, err := tx.Approvals.Newest(before.ID)
	if err != nil {
		return false, err
	}
	policy, exempt, err := g.approvalPolicy(tx, before)
	if err != nil {
		return false, err
	}
	needed := policy != "" && before.NeedsApproval(after, exempt)
	if needed && last.Open() && last.Kind == registrar.CallRegister && before.Rev == after.Rev {
		return true, nil // repeated change
	}
	if err := withdrawApproval(tx, last, before); err != nil || !needed {
		return false, err
	}
	kind := registrar.CallUpdate
	if before.IsUnconfirmed() {
		kind = registrar.CallRegister
	}
	asked, err := before.Ask(after, kind, wanted, policy, cmp.Or(by.Requester, by.Subject), last.Revision, tx.Now(),
		by.Address)
	if err != nil {
		return false, err
	}
	event := registrar.Event{
		ClientID: before.ID, Type: registrar.EventClientHeld, Actor: by.Subject, Changed: before.Changes(after), Comment: by.Note,
	}
	if kind == registrar.CallRegister { // it waits for the new approval
		err = tx.Approvals.ReplaceGranted(before.ID, asked.Revision)
	}
	return true, errors.Join(err, tx.Approvals.Add(asked), tx.AddEvent(event))
}

// holdChange holds a change until its approval. It returns the client for the reply: PENDING, since
// nothing has changed yet.
func (g *core) holdChange(tx *store.Tx, before, after registrar.Client, u registrar.Update, call store.Lease, by Caller) (registrar.Client, error) {
	if before.IsUnconfirmed() {
		return after, errors.Join(tx.PutClient(before, after),
			tx.Enqueue(*g.newCall(tx, before.ID, registrar.CallRegister, call.Call, registrar.Update{}, by, held), g.Process))
	}
	waits := before
	waits.Status = registrar.ClientPending
	return waits, reserveKeys(tx, before, u)
}

// reserveKeys reserves the keys of a client: its current ones and those of u, of an unconfirmed update
// and of a pending approval.
func reserveKeys(tx *store.Tx, c registrar.Client, u registrar.Update) error {
	call, _, err := tx.Call(c.ID)
	if err != nil {
		return err
	}
	last, err := tx.Approvals.Newest(c.ID)
	if err != nil {
		return err
	}
	list := append(c.ReservedKeys(u), c.ReservedKeys(call.Wanted)...)
	if last.Open() {
		list = append(list, c.ReservedKeys(last.Wanted)...)
	}
	slices.Sort(list)
	return tx.ReserveKeys(c.ID, slices.Compact(list))
}

// wakeApprovals wakes the approval worker for a PENDING client.
func (g *core) wakeApprovals(c registrar.Client) {
	if g.WakeApprovals != nil && c.Status == registrar.ClientPending {
		g.WakeApprovals()
	}
}

// withdrawApproval withdraws an open approval and releases the key that it would have added.
func withdrawApproval(tx *store.Tx, a registrar.Approval, c registrar.Client) error {
	if !a.Open() {
		return nil
	}
	if err := tx.Approvals.Put(a, a.Withdraw(tx.Now())); err != nil || a.Wanted.Keys.IsZero() {
		return err
	}
	return reserveKeys(tx, c, registrar.Update{})
}

// withdrawLastApproval withdraws the last approval of a client.
func withdrawLastApproval(tx *store.Tx, c registrar.Client) error {
	last, err := tx.Approvals.Newest(c.ID)
	if err != nil {
		return err
	}
	return withdrawApproval(tx, last, c)
}

// ReceiveApprovalWebhook handles a webhook about a decision. It uses only the request id of the webhook and
// reads the state from the approval service.
func (g *Approvals) ReceiveApprovalWebhook(ctx context.Context, header http.Header, body []byte) error {
	if g.Approvals == nil {
		return ErrForged
	}
	requestID, err := g.Approvals.VerifyWebhook(header, body)
	if err != nil || requestID == "" {
		return err
	}
	_, err = g.Pass(ctx, requestID)
	return err
}

// Pass is RunApprovals that reports whether there may be more. It logs failures, which are
// retried after their lease.
func (g *Approvals) Pass(ctx context.Context, requestID string) (more bool, err error) {
	n, err := g.RunOnce(ctx, requestID)
	if n > 0 && err != nil {
		g.warnFailedCall(ctx, err)
		err = nil
	}
	return n == Batch, err
}

func (g *Approvals) warnFailedCall(ctx context.Context, err error) {
	g.log.WarnContext(ctx, "approval call failed", "setting", "REGISTRAR_APPROVAL_URL", "error", err.Error())
}

// RunOnce calls the approval service for due approvals that are not decided, or for the request with
// the given id. It returns their number.
func (g *Approvals) RunOnce(ctx context.Context, requestID string) (int, error) {
	if g.Approvals == nil {
		return 0, nil
	}
	var taken []registrar.Approval
	var now time.Time
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now()
		if requestID == "" {
			taken, err = tx.Approvals.TakeDue(Batch, approvalLease)
		} else {
			taken, err = tx.Approvals.TakeRequested(requestID, approvalLease)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, a := range taken {
		errs = append(errs, g.advance(context.WithoutCancel(ctx), a, now))
	}
	return len(taken), errors.Join(errs...)
}

// advance makes the next call of an approval that was leased at a time, and records its result. A
// concurrent change of the approval is not an error.
func (g *Approvals) advance(ctx context.Context, a registrar.Approval, at time.Time) error {
	var err error
	switch a.State {
	case registrar.ApprovalGranted:
		err = g.follow(ctx, a, at)
	case registrar.ApprovalWithdrawing:
		err = g.cancel(ctx, a)
	case registrar.ApprovalAsking:
		err = g.decide(ctx, a, g.Approvals.Ask)
	default:
		err = g.decide(ctx, a, g.Approvals.Verdict)
	}
	if errors.Is(err, store.ErrApprovalMoved) {
		err = nil
	}
	if g.measures.countApprovalCall(err); err == nil {
		return nil
	}
	return fmt.Errorf("approval %d of client %s: %w", a.Revision, a.ClientID, err)
}

// decide makes a call that returns the state of the request for an approval, and records that state.
func (g *Approvals) decide(
	ctx context.Context, a registrar.Approval, call func(context.Context, registrar.Approval) (registrar.Verdict, error),
) error {
	verdict, err := call(ctx, a)
	if err != nil {
		return err
	}
	return g.recordVerdict(ctx, a, verdict)
}

// cancel cancels the request of a withdrawn approval. If the id of the request is unknown, it sends
// the request again; the idempotency key returns the same request.
func (g *Approvals) cancel(ctx context.Context, a registrar.Approval) error {
	if a.RequestID == "" {
		verdict, err := g.Approvals.Ask(ctx, a)
		if err != nil {
			return err
		}
		a.RequestID = verdict.RequestID
	}
	if err := g.Approvals.Cancel(ctx, a.RequestID); err != nil {
		return err
	}
	return g.store.Do(ctx, func(tx *store.Tx) error { return tx.Approvals.Put(a, a.RecordCancellation()) })
}

// recordVerdict records a verdict. It releases an approved change and drops a denied one.
func (g *Approvals) recordVerdict(ctx context.Context, a registrar.Approval, verdict registrar.Verdict) error {
	begin, done := g.slot()
	defer done()
	var client registrar.Client
	var pending *store.Lease
	by := Caller{Subject: Worker}
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		if a.Kind == registrar.CallMapping {
			return g.recordMappingVerdict(tx, a, verdict)
		}
		before, err := tx.Client(a.ClientID)
		if errors.Is(err, registrar.ClientNotFound) { // abandoned in the meantime, together with the approval
			return store.ErrApprovalMoved
		}
		if err != nil {
			return err
		}
		judged := a.RecordRequest(verdict).ApplyVerdict(verdict, tx.Now())
		if judged.State == registrar.ApprovalGranted {
			pending, client, err = g.releaseCall(tx, before, judged, by, begin)
			if refused, ok := refusalEvent(err); ok && refused.Reason != registrar.StaleClient {
				judged.State, judged.Comment = registrar.ApprovalDenied, err.Error()
				return errors.Join(tx.Approvals.Put(a, judged), recordDenial(tx, before, judged, refused.Reason))
			}
			return errors.Join(err, tx.Approvals.Put(a, judged), tx.Approvals.ReplaceGranted(a.ClientID, a.Revision))
		}
		if judged.State == registrar.ApprovalDenied {
			return errors.Join(tx.Approvals.Put(a, judged), recordDenial(tx, before, judged, registrar.NotApproved))
		}
		return tx.Approvals.Put(a, judged)
	})
	if err != nil {
		return err
	}
	if _, err = g.makeCall(ctx, client, pending, by); err != nil && pending != nil {
		g.log.WarnContext(ctx, "provider call failed", "setting", "REGISTRAR_IDP_URL", "error", err.Error())
	}
	return nil
}

// releaseCall releases an approved call to the identity provider, if the rules still allow it.
func (g *Approvals) releaseCall(
	tx *store.Tx, before registrar.Client, a registrar.Approval, by Caller, begin bool,
) (*store.Lease, registrar.Client, error) {
	call, _, err := tx.Call(before.ID)
	if err != nil {
		return nil, before, err
	}
	approved := registrar.Event{ClientID: before.ID, Type: registrar.EventClientApproved, Actor: by.Subject}
	if a.Kind == registrar.CallUpdate {
		if before.OutcomeUnknown || before.IsUnconfirmed() {
			return nil, before, refusal.New(registrar.StaleClient, "client %s is doubtful, or must be registered again", before.ID)
		}
		after, err := applyUpdate(tx, before, a.Wanted)
		if err != nil {
			return nil, before, err
		}
		if g.direct {
			return nil, after, errors.Join(tx.AddEvent(approved), storeUpdate(tx, before, after, a.Wanted, a.Requester))
		}
		l := g.newCall(tx, before.ID, a.Kind, call.Call, a.Wanted.MergePending(call.Wanted), Caller{Subject: a.Requester}, beginIf(begin))
		return l, before, errors.Join(tx.AddEvent(approved), reserveKeys(tx, before, l.Wanted), tx.Enqueue(*l, g.Process))
	}
	after, err := before.Activate(before.ProviderClientID, tx.Now())
	if err != nil {
		return nil, before, err
	}
	partner, mapping, err := tx.Catalog.PartnerAndMapping(before)
	if err == nil {
		err = before.Permit(after, partner, mapping)
	}
	switch {
	case err != nil:
		return nil, before, err
	case g.direct:
		activated := registrar.Event{ClientID: before.ID, Type: registrar.EventClientActivated, Actor: by.Subject}
		return nil, after, errors.Join(tx.DropCall(before.ID, g.Process), tx.PutClient(before, after), tx.AddEvent(approved), tx.AddEvent(activated))
	}
	l := g.newCall(tx, before.ID, a.Kind, call.Call, registrar.Update{}, by, beginIf(begin))
	return l, before, errors.Join(tx.AddEvent(approved), tx.Enqueue(*l, g.Process))
}

// recordDenial records a denial: a registration fails, and an update is dropped.
func recordDenial(tx *store.Tx, before registrar.Client, a registrar.Approval, why registrar.Reason) error {
	event := registrar.Event{
		ClientID: before.ID, Type: registrar.EventClientFailed, Actor: Worker, Reason: why, Comment: a.Comment,
	}
	if a.Kind == registrar.CallUpdate {
		event.Type = registrar.EventClientRefused
		return errors.Join(reserveKeys(tx, before, registrar.Update{}), tx.AddEvent(event))
	}
	failure := a.Refusal()
	failure.Reason = why
	after, err := before.Fail(failure, tx.Now())
	if err != nil {
		return err
	}
	return errors.Join(tx.PutClient(before, after), tx.AddEvent(event))
}

// GetApproval returns the last approval of a client that the caller may read, or nil if there is none.
func (g *Approvals) GetApproval(ctx context.Context, c registrar.Client) (*registrar.Approval, error) {
	last, err := g.store.Approval(ctx, c.ID)
	if err != nil || last.ClientID == "" || last.AskedAt.Before(c.CreatedAt) {
		return nil, err
	}
	return &last, nil
}
