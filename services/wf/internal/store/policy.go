package store

import (
	"context"
	"errors"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// lockRow locks rows against other writers. It lets pass what only refers to them:
// a request that starts must not wait for an activation.
var lockRow = clause.Locking{Strength: "NO KEY UPDATE"}

type policyRow struct {
	PolicyKey  string `gorm:"primaryKey"`
	LastNumber int    // the highest that a version has had, also one that is deleted
}

func (policyRow) TableName() string { return "policy" }

type versionRow struct {
	PolicyKey                                    string `gorm:"primaryKey"`
	Number                                       int    `gorm:"primaryKey;autoIncrement:false"`
	Status                                       wf.VersionStatus
	Name                                         string
	Labels                                       string
	Definition                                   string
	ContentHash                                  string
	CreatedBy, UpdatedBy, ActivatedBy, RetiredBy string
	CreatedMS, UpdatedMS, ActivatedMS, RetiredMS int64
	Rev                                          int64
	InFlight                                     int `gorm:"->"` // see versionQuery
}

func (versionRow) TableName() string { return "policy_version" }

var versionTable = tableOf[versionRow]()

func rowOfVersion(v wf.Version) (versionRow, error) {
	var c codec
	row := versionRow{
		PolicyKey: v.Key, Number: v.Number, Status: v.Status,
		Name: v.Definition.Name, Labels: c.labels(v.Definition.Labels),
		Definition: c.text(v.Definition), ContentHash: v.ContentHash,
		CreatedBy: c.text(v.CreatedBy), UpdatedBy: c.text(v.UpdatedBy), ActivatedBy: c.text(v.ActivatedBy), RetiredBy: c.text(v.RetiredBy),
		CreatedMS: ms(v.CreatedAt), UpdatedMS: ms(v.UpdatedAt), ActivatedMS: ms(v.ActivatedAt), RetiredMS: ms(v.RetiredAt),
		Rev: v.Rev,
	}
	return row, c.err
}

func (r versionRow) version() (wf.Version, error) {
	var c codec
	v := wf.Version{
		Key: r.PolicyKey, Number: r.Number, Status: r.Status, ContentHash: r.ContentHash,
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), ActivatedAt: at(r.ActivatedMS), RetiredAt: at(r.RetiredMS),
		InFlight: r.InFlight, Rev: r.Rev,
	}
	c.read(r.Definition, &v.Definition)
	c.read(r.CreatedBy, &v.CreatedBy)
	c.read(r.UpdatedBy, &v.UpdatedBy)
	c.read(r.ActivatedBy, &v.ActivatedBy)
	c.read(r.RetiredBy, &v.RetiredBy)
	return v, failed(c.err, "read version %d of policy %s", r.Number, r.PolicyKey)
}

// versionQuery selects versions with the number of open requests that follow each.
func versionQuery(db *gorm.DB) *gorm.DB {
	inFlight := "(SELECT count(*) FROM request r WHERE r.policy_key = policy_version.policy_key" +
		" AND r.policy_version = policy_version.number AND r." + openStatus + ") AS in_flight"
	return db.Model(&versionRow{}).Select(versionTable.list() + ", " + inFlight)
}

// AddPolicy adds a key with its first version. A key that exists is refused with
// wf.PolicyExists.
func (tx *Tx) AddPolicy(v wf.Version) error {
	err := tx.Create(&policyRow{PolicyKey: v.Key, LastNumber: v.Number}).Error
	if _, taken := sqldb.IsUnique(err); taken {
		return wf.Refuse(wf.PolicyExists, "policy %s exists", v.Key)
	}
	if err != nil {
		return failed(err, "add policy %s", v.Key)
	}
	return tx.insertVersion(v)
}

// LockPolicy locks a key and returns the highest number that a version of it has had:
// versions are added, activated and deleted one at a time. An unknown key is refused
// with wf.PolicyNotFound.
func (tx *Tx) LockPolicy(key string) (last int, err error) {
	if !wf.ValidPolicyKey(key) {
		return 0, noPolicy(key)
	}
	var row policyRow
	err = tx.Clauses(lockRow).Take(&row, "policy_key = ?", key).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return 0, noPolicy(key)
	}
	if err != nil {
		return 0, failed(err, "lock policy %s", key)
	}
	// During an upgrade, processes of the version before this one add versions without
	// noting their number.
	err = tx.Raw("SELECT coalesce(max(number), 0) FROM policy_version WHERE policy_key = ?", key).Scan(&last).Error
	return max(last, row.LastNumber), failed(err, "read last version of policy %s", key)
}

// NewestVersion returns the version of a key with the highest number. It reports false
// when there is none.
func (tx *Tx) NewestVersion(key string) (wf.Version, bool, error) {
	v, found, err := takeVersion(versionQuery(tx.DB).Where("policy_key = ?", key).Order("number DESC"))
	return v, found, failed(err, "load newest version of policy %s", key)
}

// AddVersion adds a version to a key that is locked.
func (tx *Tx) AddVersion(v wf.Version) error {
	err := tx.Model(&policyRow{}).Where("policy_key = ?", v.Key).Update("last_number", v.Number).Error
	if err != nil {
		return failed(err, "number version %d of policy %s", v.Number, v.Key)
	}
	return tx.insertVersion(v)
}

func (tx *Tx) insertVersion(v wf.Version) error {
	tx.wroteVersion = true
	row, err := rowOfVersion(v)
	if err == nil {
		err = tx.Batch(versionTable.insert("", row)...)
	}
	return failed(err, "add version %d of policy %s", v.Number, v.Key)
}

// DeleteVersion deletes a version as it was read. If somebody was first it is refused
// with wf.WrongState.
func (tx *Tx) DeleteVersion(v wf.Version) error {
	tx.wroteVersion = true
	result := tx.Where("policy_key = ? AND number = ? AND rev = ?", v.Key, v.Number, v.Rev).Delete(&versionRow{})
	if result.Error == nil && result.RowsAffected != 1 {
		return wf.Refuse(wf.WrongState, "version %d of policy %s has just been changed", v.Number, v.Key)
	}
	return failed(result.Error, "delete version %d of policy %s", v.Number, v.Key)
}

// PutVersion turns before, as it was read, into after. If somebody was first it is
// refused with wf.WrongState.
func (tx *Tx) PutVersion(before, after wf.Version) error {
	tx.wroteVersion = true
	old, err := rowOfVersion(before)
	if err != nil {
		return err
	}
	now, err := rowOfVersion(after)
	if err != nil {
		return err
	}
	err = tx.Batch(versionTable.update(old, now, "rev = ?", before.Rev)...)
	if errors.Is(err, sqldb.ErrRowCount) {
		return wf.Refuse(wf.WrongState, "version %d of policy %s has just been changed", after.Number, after.Key)
	}
	return failed(err, "write version %d of policy %s", after.Number, after.Key)
}

// Version loads a version and locks it.
func (tx *Tx) Version(key string, number int) (wf.Version, error) {
	return oneVersion(tx.Clauses(lockRow), key, number)
}

// ActiveVersion loads the active version of a key and locks it. It reports false
// when none is active.
func (tx *Tx) ActiveVersion(key string) (wf.Version, bool, error) {
	v, found, err := takeVersion(versionQuery(tx.Clauses(lockRow)).Where("policy_key = ? AND status = ?", key, wf.VersionActive))
	return v, found, failed(err, "load active version of policy %s", key)
}

// ReadVersion returns a version with the number of open requests that follow it.
func (s *Store) ReadVersion(ctx context.Context, key string, number int) (wf.Version, error) {
	return oneVersion(s.read(ctx), key, number)
}

// ReadActive returns the active version of a key. Without one it is refused with
// wf.PolicyNotFound.
func (s *Store) ReadActive(ctx context.Context, key string) (wf.Version, error) {
	v, err := s.ReadPolicy(ctx, key)
	if err == nil && v.Status != wf.VersionActive {
		err = wf.Refuse(wf.PolicyNotFound, "policy %s has no active version", key)
	}
	return v, err
}

// ReadPolicy returns the active version of a key, or the latest when none is active.
func (s *Store) ReadPolicy(ctx context.Context, key string) (wf.Version, error) {
	if !wf.ValidPolicyKey(key) {
		return wf.Version{}, noPolicy(key)
	}
	v, found, err := takeVersion(versionQuery(s.read(ctx)).Where("policy_key = ?", key).
		Order("CASE status WHEN 'active' THEN 0 ELSE 1 END, number DESC"))
	if err == nil && !found {
		err = noPolicy(key)
	}
	return v, failed(err, "load policy %s", key)
}

func oneVersion(db *gorm.DB, key string, number int) (wf.Version, error) {
	if !wf.ValidPolicyKey(key) {
		return wf.Version{}, noPolicy(key)
	}
	v, found, err := takeVersion(versionQuery(db).Where("policy_key = ? AND number = ?", key, number))
	if err == nil && !found {
		err = wf.Refuse(wf.PolicyNotFound, "no version %d of policy %s", number, key)
	}
	return v, failed(err, "load version %d of policy %s", number, key)
}

func takeVersion(q *gorm.DB) (wf.Version, bool, error) {
	var row versionRow
	err := q.Limit(1).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return wf.Version{}, false, nil
	}
	if err != nil {
		return wf.Version{}, false, err
	}
	v, err := row.version()
	return v, err == nil, err
}

func noPolicy(key string) error { return wf.Refuse(wf.PolicyNotFound, "no policy %s", key) }

type versionID struct {
	key    string
	number int
}

type cachedDefinition struct {
	definition wf.Definition
	hash       string
}

// maxDefinitions bounds those in memory. A definition takes at most the size of a request
// body.
const maxDefinitions = 200

// Definition returns the definition of a version and its hash. Those that cannot
// change any more come from memory. The caller must not write to it.
func (s *Store) Definition(ctx context.Context, key string, number int) (wf.Definition, string, error) {
	return s.definition(s.read(ctx), key, number, true)
}

// Definition is Store.Definition as the transaction sees it.
func (tx *Tx) Definition(key string, number int) (wf.Definition, error) {
	d, _, err := tx.store.definition(tx.DB, key, number, !tx.wroteVersion)
	return d, err
}

// definition keeps what it reads when committed says that db shows no other versions
// than committed ones.
func (s *Store) definition(db *gorm.DB, key string, number int, committed bool) (wf.Definition, string, error) {
	id := versionID{key, number}
	if d, ok := s.definitions.Get(id); ok {
		return d.definition, d.hash, nil
	}
	v, err := oneVersion(db, key, number)
	if err != nil {
		return wf.Definition{}, "", err
	}
	if committed && v.Status != wf.VersionDraft {
		s.definitions.Add(id, cachedDefinition{v.Definition, v.ContentHash})
	}
	return v.Definition, v.ContentHash, nil
}

// Versions lists the versions of a key, newest first. An unknown key has none.
func (s *Store) Versions(ctx context.Context, key string, page wf.Page) ([]wf.Version, string, error) {
	p, err := s.bind(ctx, page, "versions", key)
	if err != nil {
		return nil, "", err
	}
	order := sorting{name: "versions", numbers: []string{"number"}, desc: true}
	q, err := order.apply(versionQuery(s.read(ctx)).Where("policy_key = ?", printable(key)), p)
	if err != nil {
		return nil, "", err
	}
	var rows []versionRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list versions of policy %s", key)
	}
	rows, more, err := next(order, p, rows, func(r versionRow) ([]int64, string) { return []int64{int64(r.Number)}, "" })
	if err != nil {
		return nil, "", err
	}
	list, err := all(rows, versionRow.version)
	return list, more, err
}

// shownVersion is true of the active and of the latest version of a key.
const shownVersion = "(policy_version.status = 'active' OR policy_version.number = " +
	"(SELECT max(l.number) FROM policy_version l WHERE l.policy_key = policy_version.policy_key))"

// Policies lists the keys in alphabetical order.
func (s *Store) Policies(ctx context.Context, f wf.PolicyFilter, page wf.Page) ([]wf.Policy, string, error) {
	p, err := s.bind(ctx, page, "policies", f)
	if err != nil {
		return nil, "", err
	}
	order := sorting{name: "policies", id: "policy_key", validID: wf.ValidPolicyKey}
	var list []wf.Policy
	var more string
	err = s.snapshot(ctx, func(db *gorm.DB) error {
		shown := db.Model(&versionRow{}).Distinct("policy_key").Where(shownVersion)
		shown = oneOf(shown, "status", f.Status)
		shown = search(shown, f.Q, "policy_key", "name")
		q, err := order.apply(s.labelled(shown, "policy_version.labels", f.Labels), p)
		if err != nil {
			return err
		}
		var keys []string
		if err := q.Pluck("policy_key", &keys).Error; err != nil {
			return err
		}
		if keys, more, err = next(order, p, keys, func(key string) ([]int64, string) { return nil, key }); err != nil {
			return err
		}
		var rows []versionRow
		err = versionQuery(db).Where("policy_key IN ?", keys).Where(shownVersion).Order("policy_key, number").Find(&rows).Error
		if err != nil {
			return err
		}
		for _, row := range rows {
			v, err := row.version()
			if err != nil {
				return err
			}
			if len(list) == 0 || list[len(list)-1].Key != v.Key {
				list = append(list, wf.Policy{Key: v.Key})
			}
			policy := &list[len(list)-1]
			policy.Latest = v
			if v.Status == wf.VersionActive {
				policy.Active = &v
			}
		}
		return nil
	})
	return list, more, failed(err, "list policies")
}

// all turns rows into what they hold.
func all[R, T any](rows []R, value func(R) (T, error)) ([]T, error) {
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		v, err := value(row)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}
