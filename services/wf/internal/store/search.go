package store

import (
	"context"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// fold normalizes a text for searches: it ignores case and applies NFKC. The databases fold by
// locale, or only ASCII.
func fold(text string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// textMatch returns the condition that the title or the artifact id of a request contains the text.
func textMatch(text string) scan {
	pattern := sqldb.LikePattern(fold(text))
	return scan{`(request.folded_title LIKE ? ESCAPE '\' OR request.folded_artifact_id LIKE ? ESCAPE '\')`, []any{pattern, pattern}}
}

// trigram is the minimum number of characters for the text index.
const trigram = 3

// indexedText returns the query for the ids of requests by the text index; none for a text that the
// index does not cover.
func indexedText(db *gorm.DB, text string) []*gorm.DB {
	text = fold(text)
	switch {
	case utf8.RuneCountInString(text) < trigram:
		return nil
	case db.Name() == "postgres":
		return []*gorm.DB{db.Table("request").Select("id").Where(`folded_title || E'\n' || folded_artifact_id LIKE ?`, sqldb.LikePattern(text))}
	default:
		phrase := `"` + strings.ReplaceAll(printable(text), `"`, `""`) + `"`
		return []*gorm.DB{db.Table("request_search").Select("request_id").Where("request_search MATCH ?", phrase)}
	}
}

// SearchIndexed reports whether a text index exists. PostgreSQL has none if the extension pg_trgm
// could not be created.
func (s *Store) SearchIndexed(ctx context.Context) (bool, error) {
	if !s.db.Postgres() {
		return true, nil
	}
	indexed, err := s.db.HasTable(ctx, "request_search")
	return indexed, wrapError(err, "find the index of searches")
}
