package store

import (
	"context"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// trigram is how many characters a text needs for an index to find it.
const trigram = 3

// fewMatches is how many requests a search may find on SQLite for their ids to be listed.
// What more requests have is soon found in the order of a list.
const fewMatches = 2000

// searchRequests returns the condition that the title or the artifact id of a joined
// request has a text in it, in any case; the zero scan when there is no text. Texts of
// fewer than three characters are in no index: the list is read until the page is full.
func searchRequests(db *gorm.DB, text string) (scan, error) {
	if text == "" {
		return scan{}, nil
	}
	pattern := sqldb.LikePattern(text)
	found := scan{
		`(lower(request.title) LIKE lower(?) ESCAPE '\' OR lower(request.artifact_id) LIKE lower(?) ESCAPE '\')`, []any{pattern, pattern},
	}
	if utf8.RuneCountInString(text) < trigram {
		return found, nil
	}
	if db.Name() == "postgres" {
		return found.and(`lower(request.title || E'\n' || request.artifact_id) LIKE lower(?)`, pattern), nil
	}
	phrase := `"` + strings.ReplaceAll(printable(text), `"`, `""`) + `"`
	var n int
	err := db.Raw("SELECT count(*) FROM (SELECT 1 FROM request_search WHERE request_search MATCH ? LIMIT ?)", phrase, fewMatches+1).Scan(&n).Error
	if err != nil || n > fewMatches {
		return found, err
	}
	return found.and("request.id IN (SELECT request_id FROM request_search WHERE request_search MATCH ?)", phrase), nil
}

// SearchIndexed reports whether an index serves searches. On PostgreSQL there is none
// where the extension pg_trgm could not be made.
func (s *Store) SearchIndexed(ctx context.Context) (bool, error) {
	if !s.db.Postgres() {
		return true, nil
	}
	var indexed bool
	err := s.db.Read(ctx).Raw("SELECT to_regclass('request_search') IS NOT NULL").Scan(&indexed).Error
	return indexed, failed(err, "look for the index of searches")
}
