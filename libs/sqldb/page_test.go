package sqldb_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// byN lists notes by n and then by the id.
var byN = sqldb.List[flatRow]{
	Name: "notes", Sort: "n", Numbers: []string{"n"}, ID: "id", Place: func(r flatRow) ([]int64, string) { return []int64{r.N}, r.ID },
}

func addNotes(t *testing.T, db *sqldb.DB, ids ...string) {
	t.Helper()
	for _, id := range ids {
		exec(t, db, "INSERT INTO note VALUES (?, ?, '', '', '', 0, 1)", id, int(id[0]-'a')/2) // two of each n
	}
}

// Rows with n first, and those of the greatest n by a query of their own.
func TestAPageEndsWithTheRowsOfTheGreatestNumber(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		for i, id := range strings.Split("gfedcba", "") {
			exec(t, db, "INSERT INTO note VALUES (?, ?, '', '', '', 0, 1)", id, i/2)
		}
		const last = 2
		tail := byN
		tail.Place = func(r flatRow) ([]int64, string) { return []int64{min(r.N, last)}, r.ID }
		for limit := 1; limit <= 8; limit++ {
			var walked []string
			for page := (paging.Page{Limit: limit}); len(walked) < 10; {
				p, err := tail.Paging(db, db.Read(t.Context()), "", page)
				var rows, rest []flatRow
				if err == nil {
					err = p.Apply(db.Read(t.Context()).Where("n < ?", last)).Find(&rows).Error
				}
				if err == nil {
					err = p.Tail(last).Apply(db.Read(t.Context()).Where("n >= ?", last)).Find(&rest).Error
				}
				at, _ := p.Cursor(flatRow{N: last, ID: "x"})
				if of, err := p.Tail(last).Cursor(flatRow{N: 0, ID: "x"}); of != at || err != nil {
					t.Errorf("a row of the tail has the cursor %s, %v, want %s", of, err, at)
				}
				rows, next, cutErr := p.Cut(append(rows, rest...)[:min(len(rows)+len(rest), p.Limit)])
				if page.Cursor = next; err != nil || cutErr != nil {
					t.Fatal(err, cutErr)
				}
				for _, row := range rows {
					walked = append(walked, row.ID)
				}
				if next == "" {
					break
				}
			}
			if got := strings.Join(walked, ""); got != "fgdeabc" {
				t.Errorf("pages of %d have %s", limit, got)
			}
		}
	})
}

func TestAListIsWalkedInItsOrderAndEachRowSeenOnce(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		var all []string
		for c := 'a'; c <= 'z'; c++ {
			all = append(all, string(c))
		}
		down := byN
		down.Desc = true
		byID := byN
		byID.Numbers, byID.Place = nil, func(r flatRow) ([]int64, string) { return nil, r.ID }
		addNotes(t, db, all...)
		for name, tt := range map[string]struct {
			list sqldb.List[flatRow]
			desc bool
		}{
			"up": {byN, false}, "down": {down, true}, "by the id alone": {byID, false},
		} {
			want := slices.Clone(all)
			if tt.desc {
				slices.Reverse(want)
			}
			var walked []string
			page := paging.Page{Limit: 5}
			for len(walked) <= len(all) {
				rows, nextPage, err := tt.list.Page(db, db.Read(t.Context()), name, page)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					walked = append(walked, r.ID)
				}
				if nextPage == "" {
					break
				}
				if len(rows) != 5 {
					t.Errorf("%s: %d rows on a page", name, len(rows))
				}
				page.Cursor = nextPage
			}
			if !slices.Equal(walked, want) {
				t.Errorf("%s: walked %s", name, walked)
			}
		}
	})
}

func TestAPageHasAtMost200RowsAnd50ByDefault(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		var rows []noteRow
		for i := range 201 {
			rows = append(rows, noteRow{ID: fmt.Sprintf("%03d", i)})
		}
		do(t, db, func(tx *sqldb.Tx) error { return tx.Batch(noteTable.Insert("", rows...)...) })
		for limit, want := range map[int]int{0: 50, -1: 50, 3: 3, 200: 200, 201: 200} {
			got, nextPage, err := byN.Page(db, db.Read(t.Context()), nil, paging.Page{Limit: limit})
			if err != nil || len(got) != want || nextPage == "" {
				t.Errorf("limit %d: %d rows, %q, %v", limit, len(got), nextPage, err)
			}
		}
		got, nextPage, err := byN.Page(db, db.Read(t.Context()).Where("id < '050'"), nil, paging.Page{})
		if err != nil || len(got) != 50 || nextPage != "" {
			t.Errorf("a page that is just full: %d rows, %q, %v", len(got), nextPage, err)
		}
	})
}

func TestACursorIsGoodForItsOwnListFilterAndSort(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		addNotes(t, db, "a", "b", "c")
		filter := map[string]string{"q": "x"}
		_, cursor, err := byN.Page(db, db.Read(t.Context()), filter, paging.Page{Limit: 1})
		if err != nil || cursor == "" {
			t.Fatal(cursor, err)
		}
		other, shorter, sorted := byN, byN, byN
		other.Name, sorted.Sort, shorter.Numbers = "others", "m", nil
		data, _ := base64.RawURLEncoding.DecodeString(cursor)
		bare := base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{0}, 16)) + base64.RawURLEncoding.EncodeToString(data[16:])
		changed := slices.Clone(data)
		changed[len(changed)-3]++
		flipped := slices.Clone(data)
		flipped[15] ^= 1
		for name, tt := range map[string]struct {
			list   sqldb.List[flatRow]
			filter any
			cursor string
			ok     bool
		}{
			"its own":             {byN, filter, cursor, true},
			"another list":        {other, filter, cursor, false},
			"another filter":      {byN, map[string]string{"q": "y"}, cursor, false},
			"no filter":           {byN, nil, cursor, false},
			"another sort":        {sorted, filter, cursor, false},
			"another shape":       {shorter, filter, cursor, false},
			"another place":       {byN, filter, base64.RawURLEncoding.EncodeToString(changed), false},
			"another seal":        {byN, filter, base64.RawURLEncoding.EncodeToString(flipped), false},
			"no seal":             {byN, filter, base64.RawURLEncoding.EncodeToString(data[16:]), false},
			"a seal of zeros":     {byN, filter, bare, false},
			"a seal alone":        {byN, filter, base64.RawURLEncoding.EncodeToString(data[:16]), false},
			"another spelling":    {byN, filter, cursor[:4] + "\n" + cursor[4:], false},
			"padding":             {byN, filter, cursor + "=", false},
			"any text":            {byN, filter, "x", false},
			"any text of a place": {byN, filter, `{"s":"n","n":[0],"i":"a"}`, false},
		} {
			rows, _, err := tt.list.Page(db, db.Read(t.Context()), tt.filter, paging.Page{Cursor: tt.cursor})
			if tt.ok && (err != nil || len(rows) != 2) || !tt.ok && !errors.Is(err, sqldb.ErrCursor) {
				t.Errorf("%s: %v, %v", name, rows, err)
			}
		}
	})
}

func TestRowsAreNarrowed(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		db := notes(t, url, sqldb.Options{})
		exec(t, db, `INSERT INTO note VALUES ('100% sure', 0, 'Ana_B', '', '', 0, 1), ('other', 0, 'ana\b', '', '', 0, 1)`)
		for name, tt := range map[string]struct {
			narrow func(q *gorm.DB) *gorm.DB
			want   string
		}{
			"no search":           {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "", "id") }, "100% sure, other"},
			"in any case":         {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "ANA", "id", "by") }, "100% sure, other"},
			"in either column":    {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "OTH", "id", "by") }, "other"},
			"a percent sign":      {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "0%", "id") }, "100% sure"},
			"is no wildcard":      {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "1%s", "id") }, ""},
			"an underscore":       {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "a_b", "by") }, "100% sure"},
			"a backslash":         {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, `a\b`, "by") }, "other"},
			"what no text has":    {func(q *gorm.DB) *gorm.DB { return sqldb.Search(q, "\x00\xff", "id") }, ""},
			"one of none":         {func(q *gorm.DB) *gorm.DB { return sqldb.OneOf(q, "id", []string(nil)) }, "100% sure, other"},
			"one of two":          {func(q *gorm.DB) *gorm.DB { return sqldb.OneOf(q, "id", []string{"other", "\x00"}) }, "other"},
			"equal to nothing":    {func(q *gorm.DB) *gorm.DB { return sqldb.Equal(q, "id", "") }, "100% sure, other"},
			"equal":               {func(q *gorm.DB) *gorm.DB { return sqldb.Equal(q, "id", "other") }, "other"},
			"equal, and no UTF-8": {func(q *gorm.DB) *gorm.DB { return sqldb.Equal(q, "id", "\xff") }, ""},
		} {
			var ids []string
			if err := tt.narrow(db.Read(t.Context()).Model(&noteRow{})).Order("id").Pluck("id", &ids).Error; err != nil || strings.Join(ids, ", ") != tt.want {
				t.Errorf("%s: %q, %v", name, ids, err)
			}
		}
	})
}

func TestAServiceKeyIsMadeOnceForAllProcesses(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		one := notes(t, url, sqldb.Options{MaxConns: 1})
		other, err := sqldb.Open(t.Context(), url, sqldb.Options{MaxConns: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		key, err := one.ServiceKey(t.Context(), "a")
		if err != nil || len(key) != 32 {
			t.Fatalf("%d bytes, %v", len(key), err)
		}
		if same, err := other.ServiceKey(t.Context(), "a"); err != nil || !bytes.Equal(same, key) {
			t.Errorf("another process has another key (%v)", err)
		}
		if another, err := one.ServiceKey(t.Context(), "b"); err != nil || bytes.Equal(another, key) {
			t.Errorf("another name has the same key (%v)", err)
		}
		exec(t, one, "DELETE FROM service_key WHERE name = 'a'")
		if same, err := one.ServiceKey(t.Context(), "a"); err != nil || !bytes.Equal(same, key) {
			t.Errorf("the key is read each time (%v)", err)
		}
	})
}

func TestProcessesThatStartTogetherMakeOneKey(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		handles := []*sqldb.DB{notes(t, url, sqldb.Options{})} // each like a process of its own
		for range 3 {
			db, err := sqldb.Open(t.Context(), url, sqldb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			handles = append(handles, db)
		}
		for round := range 5 {
			keys := make([]string, len(handles))
			var wg sync.WaitGroup
			for i, db := range handles {
				wg.Go(func() {
					key, err := db.ServiceKey(t.Context(), fmt.Sprint(round))
					if keys[i] = string(key); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if slices.Sort(keys); len(slices.Compact(keys)) != 1 {
				t.Error("they have different keys")
			}
		}
	})
}

func TestAPageOfASnapshotNeedsNoSecondConnection(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		first := notes(t, url, sqldb.Options{})
		addNotes(t, first, "a", "c")
		if _, err := first.ServiceKey(t.Context(), "cursor"); err != nil {
			t.Fatal(err)
		}
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{MaxConns: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a second connection would block forever
		defer cancel()
		err = db.Snapshot(ctx, func(q *gorm.DB) error {
			for _, later := range []string{"b", "d"} {
				rows, _, err := byN.Page(db, q, nil, paging.Page{})
				if err != nil || len(rows) != 2 {
					return fmt.Errorf("%v: %w", rows, err)
				}
				addNotes(t, first, later) // is not seen
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
