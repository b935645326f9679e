package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// initialColumns is registrar.InitialToken with the storage of each field.
type initialColumns struct {
	ID        string `gorm:"-"` // part of the hash
	PartnerID string
	PolicyID  string
	Uses      int
	ExpiresAt time.Time `gorm:"column:expires_ms;serializer:millis"`
	IssuedAt  time.Time `gorm:"column:issued_ms;serializer:millis"`
	IssuedBy  string
}

type initialRow struct {
	Hash  string         `gorm:"primaryKey"`
	Value initialColumns `gorm:"embedded"`
}

func (initialRow) TableName() string { return "initial_token" }

type registrationRow struct {
	Hash     string `gorm:"primaryKey"`
	ClientID string
}

func (registrationRow) TableName() string { return "registration_token" }

var registrationTable = sqldb.TableOf[registrationRow]()

// hashOf returns the stored form of a token. A token has 128 random bits, so it needs no salt.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// TokenID returns the id of a token in events and logs, a prefix of its hash.
func TokenID(token string) string { return hashOf(token)[:idLength] }

func noToken() error {
	return refusal.New(registrar.InvalidToken, "the token is expired, revoked, spent or unknown")
}

// TokenTx writes and revokes tokens in a transaction.
type TokenTx struct{ *sqldb.Tx }

// AddInitial stores a token and deletes expired ones.
func (tx *TokenTx) AddInitial(token string, t registrar.InitialToken) error {
	if err := tx.Delete(&initialRow{}, "expires_ms <= ?", sqldb.Millis(tx.Now())).Error; err != nil {
		return wrapError(err, "forget initial access tokens")
	}
	return wrapError(tx.Create(&initialRow{hashOf(token), initialColumns(t)}).Error, "store an initial access token")
}

// InitialToken returns the rights of a token. It refuses an expired, used up or unknown token with
// InvalidToken.
func (s *Store) InitialToken(ctx context.Context, token string) (registrar.InitialToken, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return registrar.InitialToken{}, err
	}
	q := s.db.Read(ctx).Where("hash = ? AND uses > 0 AND expires_ms > ?", hashOf(token), sqldb.Millis(now))
	row, err := sqldb.Take[initialRow](q, noToken())
	if err != nil {
		return registrar.InitialToken{}, wrapError(err, "load an initial access token")
	}
	return row.initialToken(), nil
}

var tokensByExpiry = sqldb.List[initialRow]{
	Name: "initial tokens", Sort: "expires_at", Numbers: []string{"expires_ms"}, ID: idOfHash, Desc: true,
	Place: func(r initialRow) ([]int64, string) {
		return []int64{sqldb.Millis(r.Value.ExpiresAt)}, r.Hash[:idLength]
	},
}

// idOfHash is the expression of TokenID, of idLength characters.
const (
	idOfHash = "substr(hash, 1, 16)"
	idLength = 16
)

func (r initialRow) initialToken() registrar.InitialToken {
	r.Value.ID = r.Hash[:idLength]
	return registrar.InitialToken(r.Value)
}

// InitialTokens lists the tokens that have not expired, the last to expire first, also those without uses.
func (s *Store) InitialTokens(ctx context.Context, p registrar.Page) ([]registrar.InitialToken, string, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, "", err
	}
	rows, nextPage, err := tokensByExpiry.Page(s.db, s.db.Read(ctx).Where("expires_ms > ?", sqldb.Millis(now)), nil, p)
	return sqldb.Values(rows, initialRow.initialToken), nextPage, wrapError(err, "list initial access tokens")
}

// RevokeInitial deletes the token with an id and returns it. It refuses an unknown id with TokenNotFound.
func (tx *TokenTx) RevokeInitial(id string) (registrar.InitialToken, error) {
	missing := refusal.New(registrar.TokenNotFound, "no initial access token %s", id)
	row, err := sqldb.Take[initialRow](tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where(idOfHash+" = ?", sqldb.CleanText(id)), missing)
	if err != nil {
		return registrar.InitialToken{}, wrapError(err, "load an initial access token")
	}
	err = tx.Delete(&initialRow{}, "hash = ?", row.Hash).Error
	return row.initialToken(), wrapError(err, "delete an initial access token")
}

// UseInitial consumes one use of a token atomically. It refuses a token without uses with
// InvalidToken.
func (tx *TokenTx) UseInitial(token string) error {
	result := tx.Model(&initialRow{}).Where("hash = ? AND uses > 0 AND expires_ms > ?", hashOf(token), sqldb.Millis(tx.Now())).
		Update("uses", gorm.Expr("uses - 1"))
	return wrapError(sqldb.One(result, noToken()), "use an initial access token")
}

// ReturnInitial returns a use after a failed registration.
func (tx *TokenTx) ReturnInitial(token string) error {
	return wrapError(
		tx.Model(&initialRow{}).Where("hash = ?", hashOf(token)).Update("uses", gorm.Expr("uses + 1")).Error,
		"return an initial access token",
	)
}

// AddRegistration stores the registration access token of a client.
func (tx *TokenTx) AddRegistration(token, clientID string) error {
	return wrapError(
		tx.Batch(registrationTable.Insert("", registrationRow{hashOf(token), clientID})...),
		"store the registration token of client %s",
		clientID,
	)
}

// RemoveRegistration revokes all registration access tokens of a client.
func (tx *TokenTx) RemoveRegistration(clientID string) error {
	return wrapError(tx.Delete(&registrationRow{}, "client_id = ?", clientID).Error, "remove the registration tokens of client %s", clientID)
}

// RegisteredClient returns the client of a registration access token. It refuses any other token
// with InvalidToken.
func (s *Store) RegisteredClient(ctx context.Context, token string) (registrar.Client, error) {
	row, err := sqldb.Take[registrationRow](s.db.Read(ctx).Where("hash = ?", hashOf(token)), noToken())
	if err != nil {
		return registrar.Client{}, wrapError(err, "load a registration token")
	}
	return s.Client(ctx, row.ClientID)
}
