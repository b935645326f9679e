package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Policies has the use cases of policies and their versions.
type Policies struct{ *core }

func contentHash(d policy.Definition) (string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode definition: %w", err)
	}
	return strictjson.Sum(raw)
}

// written is a definition that a call writes, checked before the transaction.
type written struct {
	policy.Definition
	hash     string
	problems []refusal.Problem
	warnings []string
}

// check checks a definition that a person writes.
func (e *Policies) check(ctx context.Context, by identity.Actor, d policy.Definition) (written, error) {
	if err := wf.RequirePerson(by); err != nil {
		return written{}, err
	}
	w := written{Definition: d, problems: e.CheckDefinition(d).Problems}
	var err error
	if w.hash, err = contentHash(d); err == nil {
		w.warnings, err = e.checkUsers(ctx, by, d)
	}
	return w, err
}

// draft returns a new version with the definition.
func (w written) draft(key string, number int, by identity.User, now time.Time) policy.Version {
	return policy.Version{
		Key: key, Number: number, Status: policy.VersionDraft, Definition: w.Definition, ContentHash: w.hash,
		CreatedBy: by, UpdatedBy: by, CreatedAt: now, UpdatedAt: now, Rev: 1, Warnings: w.warnings,
	}
}

// CreatePolicy stores the first version of a policy, as a draft. It returns the problems of the
// definition.
func (e *Policies) CreatePolicy(
	ctx context.Context, by identity.Actor, key string, d policy.Definition,
) (v policy.Version, err error) {
	w, err := e.check(ctx, by, d)
	if err != nil {
		return v, err
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		v = w.draft(key, 1, by.User, tx.Now())
		if err := refusal.Invalid(w.problems); err != nil {
			return err
		}
		if err := tx.Policies.Add(v); err != nil {
			return err
		}
		return auditVersion(tx, audit.EventPolicyCreated, by, v)
	})
	return v, err
}

// NewVersion is the body of a new version.
type NewVersion struct {
	Definition      policy.Definition
	Problems        []refusal.Problem // of the rest of the body
	UnlessUnchanged bool              // add nothing if the newest version is the same
}

// AddVersion stores another version of a policy, as a draft. added is false if the newest version
// is the same; see NewVersion.UnlessUnchanged.
func (e *Policies) AddVersion(ctx context.Context, by identity.Actor, key string, in NewVersion) (v policy.Version, added bool, err error) {
	w, err := e.check(ctx, by, in.Definition)
	if err != nil {
		return v, false, err
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		last, err := tx.Policies.Lock(key)
		if err != nil {
			return err
		}
		newest, found, err := tx.Policies.Newest(key)
		if err != nil {
			return err
		}
		same, err := newest.Definition.EqualExceptNote(in.Definition)
		if same = same && found; err != nil || same && in.UnlessUnchanged && len(in.Problems) == 0 {
			v, added = newest, false
			return err
		}
		if err := checkOwners(tx, by, key, in.Definition.Settings.Owners); err != nil {
			return err
		}
		if err := badDefinition(in.Problems, refusal.Invalid(w.problems)); err != nil {
			return err
		}
		v, added = w.draft(key, last+1, by.User, tx.Now()), true
		if same { // the content keeps its author
			v.UpdatedBy = newest.UpdatedBy
		}
		if err := tx.Policies.AddVersion(v); err != nil {
			return err
		}
		return auditVersion(tx, audit.EventPolicyVersionAdded, by, v)
	})
	return v, added, err
}

// Edit returns the changed definition, and the problems of the body that changes it.
type Edit func(policy.Definition) (policy.Definition, []refusal.Problem, error)

// UpdateVersion changes a draft.
func (e *Policies) UpdateVersion(
	ctx context.Context, by identity.Actor, key string, number int, ifMatch string, edit Edit,
) (after policy.Version, err error) {
	if err := wf.RequirePerson(by); err != nil {
		return after, err
	}
	seen, err := e.store.Policies.Version(ctx, key, number)
	if err != nil {
		return after, err
	}
	d, problems, err := edit(seen.Definition)
	if err != nil {
		return after, err
	}
	w, err := e.check(ctx, by, d)
	if err != nil {
		return after, err
	}
	outdated := false
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Policies.Version(key, number)
		if outdated = err == nil && before.Rev != seen.Rev; err != nil || outdated {
			return err
		}
		if !by.Has(identity.RoleAdmin) && !w.Settings.Owners.Equal(before.Definition.Settings.Owners) {
			return errOwnersChanged()
		}
		if err := badDefinition(problems, refusal.Invalid(w.problems)); err != nil {
			return err
		}
		if after, err = before.Edit(w.Definition, w.hash, by.User, tx.Now()); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev); err != nil || after.Rev == before.Rev {
			return err
		}
		if err := tx.Policies.PutVersion(before, after); err != nil {
			return err
		}
		return auditVersion(tx, audit.EventPolicyUpdated, by, after)
	})
	if outdated { // changed since the read: edit the present version
		return e.UpdateVersion(ctx, by, key, number, ifMatch, edit)
	}
	after.Warnings = w.warnings
	return after, err
}

// badDefinition combines the problems of the body and of the definition in one refusal, for PUT and
// PATCH.
func badDefinition(problems []refusal.Problem, err error) error {
	if errors.Is(err, reason.BadPolicy) {
		found, _ := errors.AsType[*refusal.Error](err)
		problems, err = append(slices.Clip(problems), found.Problems...), nil
	}
	if err == nil && len(problems) > 0 {
		return refusal.New(reason.BadDefinition, "%s", refusal.Invalid(problems))
	}
	return err
}

// DeleteVersion deletes a draft. Its number is not reused.
func (e *Policies) DeleteVersion(
	ctx context.Context, by identity.Actor, key string, number int, ifMatch string,
) (policy.Version, error) {
	deletion := func(tx *store.Tx, draft policy.Version) (policy.Version, bool, error) {
		if err := cmp.Or(draft.CheckDelete(), match(ifMatch, draft.Rev)); err != nil {
			return draft, false, err
		}
		return draft, true, tx.Policies.DeleteVersion(draft)
	}
	return e.changeVersion(ctx, by, audit.EventPolicyVersionDeleted, key, number, deletion)
}

// ActivateVersion activates a version for new requests. The previously active version is retired in
// the same transaction. The version must still have the entity tag ifMatch and the content hash, of which four eyes
// require one.
func (e *Policies) ActivateVersion(
	ctx context.Context, by identity.Actor, key string, number int, ifMatch, hash string,
) (policy.Version, error) {
	if e.FourEyes && hash == "" && (ifMatch == "" || ifMatch == "*") {
		return policy.Version{}, refusal.At(reason.Missing, "/content_hash",
			"Field required with WF_POLICY_FOUR_EYES, unless If-Match has the entity tag of the version")
	}
	activation := func(tx *store.Tx, before policy.Version) (policy.Version, bool, error) {
		if err := before.CheckContent(view.ETag(before.Rev), ifMatch, hash); err != nil {
			return before, false, err
		}
		after := before.Activate(by.User, tx.Now())
		if after.Rev == before.Rev {
			return after, false, nil
		}
		if e.FourEyes && before.UpdatedBy.ID == by.ID {
			return after, false, refusal.New(reason.Forbidden, "the caller edited version %d last and may not activate it", number)
		}
		active, found, err := tx.Policies.Active(key)
		if err == nil && found {
			var retired policy.Version
			if retired, err = active.Retire(by.User, tx.Now()); err == nil {
				err = tx.Policies.PutVersion(active, retired)
			}
		}
		if err != nil {
			return after, false, err
		}
		return after, true, tx.Policies.PutVersion(before, after)
	}
	return e.changeVersion(ctx, by, audit.EventPolicyActivated, key, number, activation)
}

// DeactivateVersion retires the active version.
func (e *Policies) DeactivateVersion(
	ctx context.Context, by identity.Actor, key string, number int, ifMatch string,
) (policy.Version, error) {
	deactivation := func(tx *store.Tx, before policy.Version) (policy.Version, bool, error) {
		after, err := before.Retire(by.User, tx.Now())
		if err = cmp.Or(err, match(ifMatch, before.Rev)); err != nil {
			return before, false, err
		}
		return after, true, tx.Policies.PutVersion(before, after)
	}
	return e.changeVersion(ctx, by, audit.EventPolicyDeactivated, key, number, deactivation)
}

// changeVersion changes a version under the lock of its policy, and appends an event if it has changed. Without
// WF_ADMIN a change of the owners of the policy is refused.
func (e *Policies) changeVersion(
	ctx context.Context, by identity.Actor, kind audit.EventType, key string, number int,
	change func(tx *store.Tx, before policy.Version) (after policy.Version, changed bool, err error),
) (after policy.Version, err error) {
	if err := wf.RequirePerson(by); err != nil {
		return after, err
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		if _, err := tx.Policies.Lock(key); err != nil {
			return err
		}
		before, err := tx.Policies.Version(key, number)
		if err != nil {
			return err
		}
		owners, err := tx.Policies.Owners(key)
		if err != nil {
			return err
		}
		changed := false
		if after, changed, err = change(tx, before); err != nil || !changed {
			return err
		}
		if err := checkOwners(tx, by, key, owners); err != nil {
			return err
		}
		return auditVersion(tx, kind, by, after)
	})
	if err == nil {
		e.Wake()
	}
	return after, err
}

// Manages reports whether a caller has the rights of an admin on a policy.
func (e *Policies) Manages(ctx context.Context, by identity.Actor, key string) (bool, error) {
	if by.Has(identity.RoleAdmin) {
		return true, nil
	}
	return e.IsOwner(ctx, by, key)
}

// IsOwner reports whether a caller owns a policy.
func (e *Policies) IsOwner(ctx context.Context, by identity.Actor, key string) (bool, error) {
	return e.store.Policies.Owns(ctx, by, key)
}

// checkOwners rejects a definition with other owners than the policy's, unless the caller is an admin.
func checkOwners(tx *store.Tx, by identity.Actor, key string, owners *policy.Callers) error {
	if by.Has(identity.RoleAdmin) {
		return nil
	}
	current, err := tx.Policies.Owners(key)
	if err == nil && !current.Equal(owners) {
		err = errOwnersChanged()
	}
	return err
}

func errOwnersChanged() error {
	return refusal.New(reason.Forbidden, "only an admin may change settings.owners of a policy")
}

func auditVersion(tx *store.Tx, kind audit.EventType, by identity.Actor, v policy.Version) error {
	return appendServiceEvent(tx, kind, by, wf.Resource{Type: "policy", ID: v.Key, Version: v.Number}, v.ContentHash)
}

// GetPolicy returns the active version of a key, or the latest if none is active.
func (e *Policies) GetPolicy(ctx context.Context, key string) (policy.Version, error) {
	return e.store.Policies.Policy(ctx, key)
}

// GetVersion returns one version.
func (e *Policies) GetVersion(ctx context.Context, key string, number int) (policy.Version, error) {
	return e.store.Policies.Version(ctx, key, number)
}

// ListVersions lists the versions of a key, newest first.
func (e *Policies) ListVersions(ctx context.Context, key string, p wf.Page) ([]policy.Version, string, error) {
	return e.store.Policies.Versions(ctx, key, p)
}

// ListPolicies lists policies, each with its active and its latest version: all of them for WF_VIEWER, and those that
// the caller owns.
func (e *Policies) ListPolicies(ctx context.Context, by identity.Actor, f wf.PolicyFilter, p wf.Page) ([]wf.Policy, string, error) {
	if !by.Has(identity.RoleViewer) {
		owned, err := e.store.Policies.Owned(ctx, by)
		if err == nil && len(owned) == 0 {
			err = refusal.New(reason.Forbidden, "the caller has no role for policies and owns none")
		}
		if err != nil {
			return nil, "", err
		}
		f.Keys = owned
	}
	return e.store.Policies.List(ctx, f, p)
}

// ListFigures lists the policies of ListPolicies with their figures by key.
func (e *Policies) ListFigures(
	ctx context.Context, by identity.Actor, p wf.Page,
) (list []wf.Policy, figures map[string]wf.PolicyFigures, next string, err error) {
	if list, next, err = e.ListPolicies(ctx, by, wf.PolicyFilter{Brief: true}, p); err == nil {
		figures, err = e.store.Policies.Figures(ctx, list)
	}
	return list, figures, next, err
}

// OwnsAny reports whether a caller owns a policy.
func (e *Policies) OwnsAny(ctx context.Context, by identity.Actor) (bool, error) {
	owned, err := e.store.Policies.Owned(ctx, by)
	return len(owned) > 0, err
}

// Replacement lists the changes of an activation.
type Replacement struct {
	policy.Replacement
	Active   *policy.Version // the version to retire; nil if there is none
	Findings Findings        // about the version
}

// Replacement returns the changes that the activation of a version would cause. It writes nothing.
func (e *Policies) Replacement(ctx context.Context, by identity.Actor, key string, number int) (Replacement, error) {
	if manages, err := e.Manages(ctx, by, key); err != nil || !manages {
		return Replacement{}, cmp.Or(err, refusal.New(reason.Forbidden, "only an admin or an owner may activate a version"))
	}
	v, err := e.GetVersion(ctx, key, number)
	if err != nil {
		return Replacement{}, err
	}
	var r Replacement
	var before policy.Definition
	switch active, err := e.GetPolicy(ctx, key); {
	case err != nil:
		return r, err
	case active.Status == policy.VersionActive && active.Number != number:
		r.Active, before = &active, active.Definition
	}
	r.Replacement = v.Definition.CompareWith(before)
	r.Findings = e.CheckDefinition(v.Definition)
	return r, nil
}

// Usable lists the active policies under which the caller may create requests.
type Usable struct {
	Versions []policy.Version
	Unknown  int // policies without an answer: the directory does not respond
}

// ListUsablePolicies lists the policies under which the caller may create requests, by key. A page may
// contain fewer entries than its limit, or none.
func (e *Policies) ListUsablePolicies(ctx context.Context, by identity.Actor, search string, p wf.Page) (Usable, string, error) {
	list, nextPage, err := e.store.Policies.List(ctx, wf.PolicyFilter{
		Status: []policy.VersionStatus{policy.VersionActive}, Q: search, Brief: true,
	}, p)
	if err != nil {
		return Usable{}, "", err
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return Usable{}, "", err
	}
	refusals := e.answers().submit(ctx, by, list, now)
	var usable Usable
	for i, policy := range list {
		switch {
		case refusals[i] == nil:
			usable.Versions = append(usable.Versions, *policy.Active)
		case errors.Is(refusals[i], reason.ResolverFailed):
			usable.Unknown++
		}
	}
	return usable, nextPage, nil
}

// submit returns the refusal of each policy for the caller, or nil if they may create requests
// under it.
func (a *answers) submit(ctx context.Context, by identity.Actor, policies []wf.Policy, now time.Time) []error {
	refusals, definitions := make([]error, len(policies)), make([]policy.Definition, len(policies))
	for i, p := range policies {
		definitions[i] = p.Active.Definition.Compiled()
	}
	_ = a.gather(ctx, func() error {
		var open approver.Unasked
		for i, p := range policies {
			refusals[i] = wf.MaySubmit(definitions[i], p.Key, p.Active.Number, by, a.facts(now))
			if one, unasked := errors.AsType[*approver.Unasked](refusals[i]); unasked {
				open.Questions = append(open.Questions, one.Questions...)
			}
		}
		if len(open.Questions) == 0 {
			return nil
		}
		return &open
	})
	return refusals
}
