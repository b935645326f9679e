package store

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

type policyRow struct {
	PolicyKey  string `gorm:"primaryKey"`
	LastNumber int    // the highest number of any version, including deleted ones
}

// versionColumns maps the fields of wf.Version to columns.
type versionColumns struct {
	Key         string `gorm:"column:policy_key;primaryKey"`
	Number      int    `gorm:"primaryKey;autoIncrement:false"`
	Status      policy.VersionStatus
	Definition  policy.Definition `gorm:"serializer:jsontext"`
	ContentHash string

	CreatedBy                         identity.User `gorm:"serializer:jsontext;<-:create"`
	UpdatedBy, ActivatedBy, RetiredBy identity.User `gorm:"serializer:jsontext"`

	CreatedAt   time.Time `gorm:"column:created_ms;serializer:millis;autoCreateTime:false;<-:create"`
	UpdatedAt   time.Time `gorm:"column:updated_ms;serializer:millis;autoUpdateTime:false"`
	ActivatedAt time.Time `gorm:"column:activated_ms;serializer:millis"`
	RetiredAt   time.Time `gorm:"column:retired_ms;serializer:millis"`

	InFlight int `gorm:"->"` // see versionQuery
	Rev      int64

	Warnings []string `gorm:"-"`
}

type versionRow struct {
	Value versionColumns `gorm:"embedded"`

	// Search columns, derived from the definition.
	FoldedName string
	Labels     map[string]string `gorm:"serializer:jsontext;empty:{}"`
}

func (versionRow) TableName() string { return "policy_version" }

func rowOfVersion(v policy.Version) *versionRow {
	for _, u := range []*identity.User{&v.CreatedBy, &v.UpdatedBy, &v.ActivatedBy, &v.RetiredBy} {
		*u = identity.User{ID: u.ID} // names are in person
	}
	return &versionRow{versionColumns(v), fold(v.Definition.Name), v.Definition.Labels}
}

func (r versionRow) version() policy.Version { return policy.Version(r.Value) }

var versionTable = sqldb.TableOf[versionRow]()

// versionQuery selects versions with the number of open requests that follow each.
func versionQuery(db *gorm.DB) *gorm.DB {
	inFlight := "(SELECT count(*) FROM request r WHERE r.policy_key = policy_version.policy_key" +
		" AND r.policy_version = policy_version.number AND r." + openStatus + ") AS in_flight"
	return db.Model(&versionRow{}).Select(versionTable.Columns() + ", " + inFlight)
}

// Policies reads policies and caches their definitions.
type Policies struct {
	db          *sqldb.DB
	definitions *lru.Cache[VersionID, policy.Definition] // immutable definitions, of versions that are or were active
}

func newPolicies(db *sqldb.DB) Policies {
	definitions, _ := lru.New[VersionID, policy.Definition](maxDefinitions) // fails only for sizes below one
	return Policies{db, definitions}
}

// PolicyTx writes policies in a transaction.
type PolicyTx struct {
	*sqldb.Tx
	committed    Policies
	wroteVersion bool // the transaction may read uncommitted versions
}

// Add adds a key with its first version. It fails with wf.PolicyExists for an existing key.
func (tx *PolicyTx) Add(v policy.Version) error {
	err := tx.Create(&policyRow{PolicyKey: v.Key, LastNumber: v.Number}).Error
	if _, taken := sqldb.IsUnique(err); taken {
		return refusal.New(reason.PolicyExists, "policy %s exists", v.Key)
	}
	if err != nil {
		return wrapError(err, "add policy %s", v.Key)
	}
	return tx.insertVersion(v)
}

// Lock locks a key and returns the highest number of any of its versions. The lock serializes
// the addition, activation and deletion of versions. It fails with wf.PolicyNotFound for an unknown
// key.
func (tx *PolicyTx) Lock(key string) (last int, err error) {
	row, err := sqldb.Take[policyRow](tx.Clauses(lockRow).Where("policy_key = ?", printable(key)), noPolicy(key))
	if err != nil {
		return 0, wrapError(err, "lock policy %s", key)
	}
	return row.LastNumber, nil
}

// Newest returns the version of a key with the highest number. It reports false
// when there is none.
func (tx *PolicyTx) Newest(key string) (policy.Version, bool, error) {
	v, err := takeVersion(versionQuery(tx.DB).Where("policy_key = ?", key).Order("number DESC"), nil)
	return v, v.Key != "", wrapError(err, "load newest version of policy %s", key)
}

// AddVersion adds a version to a key that is locked.
func (tx *PolicyTx) AddVersion(v policy.Version) error {
	err := tx.Model(&policyRow{}).Where("policy_key = ?", v.Key).Update("last_number", v.Number).Error
	if err != nil {
		return wrapError(err, "number version %d of policy %s", v.Number, v.Key)
	}
	return tx.insertVersion(v)
}

func (tx *PolicyTx) insertVersion(v policy.Version) error {
	tx.wroteVersion = true
	if err := tx.Create(rowOfVersion(v)).Error; err != nil {
		return wrapError(err, "add version %d of policy %s", v.Number, v.Key)
	}
	return tx.putOwners(v.Key)
}

// DeleteVersion deletes a version at the revision that was read. It fails with wf.WrongState after
// a concurrent change.
func (tx *PolicyTx) DeleteVersion(v policy.Version) error {
	tx.wroteVersion = true
	result := tx.Where("rev = ?", v.Rev).Delete(rowOfVersion(v))
	if err := sqldb.One(result, newConflict(v)); err != nil {
		return wrapError(err, "delete version %d of policy %s", v.Number, v.Key)
	}
	return tx.putOwners(v.Key)
}

// PutVersion replaces before, at the revision that was read, by after. It fails with wf.WrongState
// after a concurrent change.
func (tx *PolicyTx) PutVersion(before, after policy.Version) error {
	tx.wroteVersion = true
	if err := sqldb.Put(tx.Tx, rowOfVersion(after), newConflict(after), "rev = ?", before.Rev); err != nil {
		return wrapError(err, "write version %d of policy %s", after.Number, after.Key)
	}
	return tx.putOwners(after.Key)
}

func newConflict(v policy.Version) error {
	return refusal.New(reason.WrongState, "version %d of policy %s has just been changed", v.Number, v.Key)
}

// Version loads a version and locks it.
func (tx *PolicyTx) Version(key string, number int) (policy.Version, error) {
	return oneVersion(tx.Clauses(lockRow), key, number)
}

// Active loads the active version of a key and locks it. It reports false
// when none is active.
func (tx *PolicyTx) Active(key string) (policy.Version, bool, error) {
	v, err := takeVersion(versionQuery(tx.Clauses(lockRow)).Where("policy_key = ? AND status = ?", key, policy.VersionActive), nil)
	return v, v.Key != "", wrapError(err, "load active version of policy %s", key)
}

// Version returns a version with the number of its open requests.
func (s Policies) Version(ctx context.Context, key string, number int) (policy.Version, error) {
	return oneVersion(s.db.Read(ctx), key, number)
}

// Policy returns the active version of a key, or the latest when none is active.
func (s Policies) Policy(ctx context.Context, key string) (policy.Version, error) {
	v, err := currentVersion(s.db.Read(ctx), key, noPolicy(key))
	return v, wrapError(err, "load policy %s", key)
}

// currentVersion returns the active version of a key, or the latest when none is active.
func currentVersion(db *gorm.DB, key string, none error) (policy.Version, error) {
	return takeVersion(versionQuery(db).Where("policy_key = ?", printable(key)).
		Order("CASE status WHEN 'active' THEN 0 ELSE 1 END, number DESC"), none)
}

func oneVersion(db *gorm.DB, key string, number int) (policy.Version, error) {
	none := refusal.New(reason.PolicyNotFound, "no version %d of policy %s", number, key)
	v, err := takeVersion(versionQuery(db).Where("policy_key = ? AND number = ?", printable(key), number), none)
	return v, wrapError(err, "load version %d of policy %s", number, key)
}

func takeVersion(q *gorm.DB, none error) (policy.Version, error) {
	row, err := sqldb.Take[versionRow](q, none)
	return row.version(), err
}

func noPolicy(key string) error { return refusal.New(reason.PolicyNotFound, "no policy %s", key) }

// VersionID identifies a version of a policy.
type VersionID struct {
	PolicyKey string
	Number    int
}

// maxDefinitions bounds the cached definitions. A definition is at most as large as a request body.
const maxDefinitions = 200

// Definition returns the compiled definition of a version. Immutable definitions are cached. The caller must not
// modify the result.
func (s Policies) Definition(ctx context.Context, key string, number int) (policy.Definition, error) {
	return s.definition(func() *gorm.DB { return s.db.Read(ctx) }, key, number, true)
}

// Definition is Policies.Definition within the transaction.
func (tx *PolicyTx) Definition(key string, number int) (policy.Definition, error) {
	return tx.committed.definition(func() *gorm.DB { return tx.DB }, key, number, !tx.wroteVersion)
}

// definition caches the definition only if committed is true: db then reads only committed
// versions.
func (s Policies) definition(db func() *gorm.DB, key string, number int, committed bool) (policy.Definition, error) {
	id := VersionID{key, number}
	if d, ok := s.definitions.Get(id); ok {
		return d, nil
	}
	v, err := oneVersion(db(), key, number)
	if err != nil {
		return policy.Definition{}, err
	}
	d := v.Definition.Compiled()
	if committed && v.Status != policy.VersionDraft {
		s.definitions.Add(id, d)
	}
	return d, nil
}

var versionsByNumber = sqldb.List[versionRow]{
	Name: "versions", Sort: "versions", Numbers: []string{"number"}, Desc: true,
	Place: func(r versionRow) ([]int64, string) { return []int64{int64(r.Value.Number)}, "" },
}

// Versions lists the versions of a key, newest first. The list of an unknown key is empty.
func (s Policies) Versions(ctx context.Context, key string, p wf.Page) ([]policy.Version, string, error) {
	q := versionQuery(s.db.Read(ctx)).Where("policy_key = ?", printable(key))
	rows, nextPage, err := versionsByNumber.Page(s.db, q, key, p)
	return sqldb.Values(rows, versionRow.version), nextPage, wrapError(err, "list versions of policy %s", key)
}

// shownVersion selects the active and the latest version of a key.
const shownVersion = "(policy_version.status = 'active' OR policy_version.number = " +
	"(SELECT max(l.number) FROM policy_version l WHERE l.policy_key = policy_version.policy_key))"

var policiesByKey = sqldb.List[policyRow]{
	Name: "policies", Sort: "policies", ID: "policy_key",
	Place: func(r policyRow) ([]int64, string) { return nil, r.PolicyKey },
}

// List lists the keys in alphabetical order.
func (s Policies) List(ctx context.Context, f wf.PolicyFilter, p wf.Page) (list []wf.Policy, nextPage string, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		shown := db.Model(&versionRow{}).Distinct("policy_key").Where(shownVersion)
		shown = sqldb.OneOf(shown, "status", f.Status)
		shown = sqldb.OneOf(shown, "policy_key", f.Keys)
		shown = sqldb.Search(shown, fold(f.Q), "policy_key", "folded_name")
		shown = labelScan(db, "policy_version.labels", f.Labels).of(shown)
		policies, next, err := policiesByKey.Page(s.db, shown, f, p)
		if err != nil {
			return err
		}
		keys := sqldb.Values(policies, func(r policyRow) string { return r.PolicyKey })
		var rows []versionRow
		q := versionQuery(db)
		if f.Brief {
			q = db.Model(&versionRow{}).Select(versionTable.Columns())
		}
		err = q.Where("policy_key IN ?", keys).Where(shownVersion).Order("policy_key, number").Find(&rows).Error
		list, nextPage = policiesOf(sqldb.Values(rows, versionRow.version)), next
		return err
	})
	return list, nextPage, wrapError(err, "list policies")
}

// policiesOf groups versions by key. The versions are sorted by key and number.
func policiesOf(versions []policy.Version) []wf.Policy {
	var list []wf.Policy
	for _, v := range versions {
		if len(list) == 0 || list[len(list)-1].Key != v.Key {
			list = append(list, wf.Policy{Key: v.Key})
		}
		version := &list[len(list)-1]
		version.Latest = v
		if v.Status == policy.VersionActive {
			version.Active = &v
		}
	}
	return list
}

// Open returns the keys of the policies that any caller can create requests for: the active
// version lists no submitters.
func (s Policies) Open(ctx context.Context) ([]string, error) {
	submitters := "json_extract(definition, '$.settings.submitters')"
	if s.db.Postgres() {
		submitters = "definition::json #> '{settings,submitters}'"
	}
	return ids(s.db.Read(ctx).Table("policy_version").Select("policy_key").Where("status = 'active' AND "+submitters+" IS NULL").Order("policy_key"),
		"list policies without submitters")
}
