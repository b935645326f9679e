package store

import (
	"context"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// ownerRow is an owner of a policy.
type ownerRow struct {
	Kind      string `gorm:"primaryKey"`
	Name      string `gorm:"primaryKey"`
	PolicyKey string `gorm:"primaryKey"`
}

func (ownerRow) TableName() string { return "policy_owner" }

const (
	ownerUser = "user"
	ownerRole = "role"
)

// Owners returns the owners of a policy: those of its active version, else of its latest; nil without owners.
func (tx *PolicyTx) Owners(key string) (*policy.Callers, error) {
	v, err := currentVersion(tx.DB, key, nil)
	return v.Definition.Settings.Owners, wrapError(err, "load the owners of policy %s", key)
}

// putOwners stores the owners of a policy after a change of its versions.
func (tx *PolicyTx) putOwners(key string) error {
	owners, err := tx.Owners(key)
	if err != nil {
		return err
	}
	if err := tx.Where("policy_key = ?", key).Delete(&ownerRow{}).Error; err != nil {
		return wrapError(err, "delete the owners of policy %s", key)
	}
	if owners == nil {
		return nil
	}
	seen := map[ownerRow]bool{}
	var rows []ownerRow
	for kind, names := range map[string][]string{ownerUser: owners.Users, ownerRole: owners.Roles} {
		for _, name := range names {
			if row := (ownerRow{kind, name, key}); !seen[row] {
				seen[row], rows = true, append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return wrapError(tx.Create(&rows).Error, "add the owners of policy %s", key)
}

// Owned returns the keys of the policies that a caller owns.
func (s Policies) Owned(ctx context.Context, by identity.Actor) ([]string, error) {
	return ids(ownedBy(s.db.Read(ctx), by).Order("policy_key"), "list owned policies")
}

// Owns reports whether a caller owns the policy of the key.
func (s Policies) Owns(ctx context.Context, by identity.Actor, key string) (bool, error) {
	found, err := ids(ownedBy(s.db.Read(ctx), by).Where("policy_key = ?", printable(key)).Limit(1), "look for an owner of a policy")
	return len(found) > 0, err
}

func ownedBy(db *gorm.DB, by identity.Actor) *gorm.DB {
	q := db.Model(&ownerRow{}).Distinct("policy_key")
	if len(by.TokenRoles) == 0 {
		return q.Where("kind = ? AND name = ?", ownerUser, printable(by.ID))
	}
	return q.Where("(kind = ? AND name = ? OR kind = ? AND name IN ?)", ownerUser, printable(by.ID), ownerRole, sqldb.Values(by.TokenRoles, printable))
}

// OwnsRequest reports whether a caller owns the policy of a request; false for an unknown request.
func (s *Store) OwnsRequest(ctx context.Context, by identity.Actor, id string) (bool, error) {
	if !isID(id) {
		return false, nil
	}
	key := s.db.Read(ctx).Table("request").Select("policy_key").Where("id = ?", id)
	found, err := ids(ownedBy(s.db.Read(ctx), by).Where("policy_key = (?)", key).Limit(1), "look for an owner of a request's policy")
	return len(found) > 0, err
}

// ownersOf returns the query for the owners of the policy of a request.
func ownersOf(ref RequestRef, into *[]ownerRow) sqldb.Stmt {
	return sqldb.Stmt{
		SQL:  `SELECT o.* FROM request JOIN policy_owner o ON o.policy_key = request.policy_key WHERE request.id = ` + ref.which,
		Args: []any{ref.id}, Into: into,
	}
}

// callersOf returns the owners in the rows of a policy.
func callersOf(rows []ownerRow) (owners policy.Callers) {
	for _, row := range rows {
		if row.Kind == ownerUser {
			owners.Users = append(owners.Users, row.Name)
		} else {
			owners.Roles = append(owners.Roles, row.Name)
		}
	}
	return owners
}
