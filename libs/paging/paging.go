// Package paging defines the page of a list.
package paging

// Page selects a part of a list: at most Limit items (50 if zero, at most 200) after Cursor. Cursor is empty
// for the first page, else the cursor that the previous page returned. A cursor is valid for its list, filter
// and sort.
type Page struct {
	Limit  int
	Cursor string
}
