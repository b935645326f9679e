package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// check returns what is wrong with a definition, as wf.Problems.
func (e *Engine) check(tx *store.Tx, d wf.Definition) error {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return err
	}
	return d.Validate(wf.Checks{
		Bool:    e.Conditions.CheckBool,
		Strings: e.Conditions.CheckStrings,
		Schema: func(document []byte) error {
			_, err := schema.Compile(document)
			return err
		},
		Endpoint: func(name string) bool {
			return slices.ContainsFunc(endpoints, func(e wf.Endpoint) bool { return e.Name == name })
		},
		Directory: e.Directory,
		Resolver:  e.HTTPRule,
	})
}

func contentHash(d wf.Definition) (string, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode definition: %w", err)
	}
	return strictjson.Sum(raw)
}

// newVersion makes a draft, or refuses with wf.Problems.
func (e *Engine) newVersion(tx *store.Tx, key string, d wf.Definition, by wf.User) (wf.Version, error) {
	if err := e.check(tx, d); err != nil {
		return wf.Version{}, err
	}
	hash, err := contentHash(d)
	return wf.Version{Key: key, Status: wf.Draft, Definition: d, ContentHash: hash, CreatedBy: by, UpdatedBy: by, Rev: 1}, err
}

// CreatePolicy stores the first version of a policy as a draft. What is wrong with
// the definition is returned as wf.Problems.
func (e *Engine) CreatePolicy(ctx context.Context, by wf.Actor, key string, d wf.Definition) (wf.Version, error) {
	var v wf.Version
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if v, err = e.newVersion(tx, key, d, by.User); err != nil {
			return err
		}
		v.Number, v.CreatedAt, v.UpdatedAt = 1, tx.Now, tx.Now
		if err := tx.AddPolicy(v); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicyCreated, by, v)
	})
	return v, err
}

// AddVersion stores another version of a policy as a draft. body is asked for the
// definition once the policy is known to exist.
func (e *Engine) AddVersion(ctx context.Context, by wf.Actor, key string, body func() (wf.Definition, error)) (wf.Version, error) {
	var v wf.Version
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.LockPolicy(key); err != nil {
			return err
		}
		d, err := body()
		if err != nil {
			return err
		}
		if v, err = e.newVersion(tx, key, d, by.User); err != nil {
			return badDefinition(err)
		}
		last, err := tx.LastVersion(key)
		if err != nil {
			return err
		}
		v.Number, v.CreatedAt, v.UpdatedAt = last+1, tx.Now, tx.Now
		if err := tx.AddVersion(v); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicyVersioned, by, v)
	})
	return v, err
}

// EditVersion changes a draft: edit gets the definition as it is and returns what
// it shall be.
func (e *Engine) EditVersion(ctx context.Context, by wf.Actor, key string, number int, ifMatch string, edit func(wf.Definition) (wf.Definition, error)) (wf.Version, error) {
	var after wf.Version
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Version(key, number)
		if err != nil {
			return err
		}
		d, err := edit(before.Definition)
		if err != nil {
			return err
		}
		if err := e.check(tx, d); err != nil {
			return badDefinition(err)
		}
		hash, err := contentHash(d)
		if err != nil {
			return err
		}
		if after, err = before.Edit(d, hash, by.User, tx.Now); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev); err != nil {
			return err
		}
		if err := tx.PutVersion(before, after); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicyUpdated, by, after)
	})
	return after, err
}

// badDefinition turns problems into the refusal of PUT and PATCH.
func badDefinition(err error) error {
	if problems, ok := err.(wf.Problems); ok {
		return wf.Refuse(wf.BadDefinition, "%s", problems)
	}
	return err
}

// ActivateVersion makes a version the one that new requests follow; the one that
// was active retires in the same transaction.
func (e *Engine) ActivateVersion(ctx context.Context, by wf.Actor, key string, number int) (wf.Version, error) {
	var after wf.Version
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.LockPolicy(key); err != nil {
			return err
		}
		before, err := tx.Version(key, number)
		if err != nil {
			return err
		}
		if after = before.Activate(by.User, tx.Now); after.Rev == before.Rev {
			return nil
		}
		if e.FourEyes && before.UpdatedBy.ID == by.ID {
			return wf.Refuse(wf.Forbidden, "who edited version %d last may not activate it", number)
		}
		active, found, err := tx.ActiveVersion(key)
		if err != nil {
			return err
		}
		if found {
			retired, err := active.Retire(by.User, tx.Now)
			if err != nil {
				return err
			}
			if err := tx.PutVersion(active, retired); err != nil {
				return err
			}
		}
		if err := tx.PutVersion(before, after); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicyActivated, by, after)
	})
	if err == nil {
		e.Wake()
	}
	return after, err
}

// DeactivateVersion takes the active version out of use.
func (e *Engine) DeactivateVersion(ctx context.Context, by wf.Actor, key string, number int, ifMatch string) (wf.Version, error) {
	var after wf.Version
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.LockPolicy(key); err != nil {
			return err
		}
		before, err := tx.Version(key, number)
		if err != nil {
			return err
		}
		if after, err = before.Retire(by.User, tx.Now); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev); err != nil {
			return err
		}
		if err := tx.PutVersion(before, after); err != nil {
			return err
		}
		return auditVersion(tx, wf.PolicyDeactivated, by, after)
	})
	if err == nil {
		e.Wake()
	}
	return after, err
}

func auditVersion(tx *store.Tx, kind wf.EventType, by wf.Actor, v wf.Version) error {
	return audit(tx, kind, by, wf.Resource{Type: "policy", ID: v.Key, Version: v.Number}, v.ContentHash)
}

// Policy returns the active version of a key, or the latest when none is active.
func (e *Engine) Policy(ctx context.Context, key string) (wf.Version, error) {
	return e.store.ReadPolicy(ctx, key)
}

// Version returns one version.
func (e *Engine) Version(ctx context.Context, key string, number int) (wf.Version, error) {
	return e.store.ReadVersion(ctx, key, number)
}

// Versions lists the versions of a key, newest first.
func (e *Engine) Versions(ctx context.Context, key string, p store.Page) ([]wf.Version, string, error) {
	return e.store.Versions(ctx, key, p)
}

// Policies lists policies, each with its active and its latest version.
func (e *Engine) Policies(ctx context.Context, f store.PolicyFilter, p store.Page) ([]store.Policy, string, error) {
	return e.store.Policies(ctx, f, p)
}
