package store

// Small makes the search look at few requests at a time.
func (f *StuckSearch) Small(page int64) *StuckSearch {
	f.page = page
	return f
}

// Small makes the patrol recompute few events at a time.
func (p *Patrol) Small(events, requests int) *Patrol {
	p.events, p.atOnce = events, requests
	return p
}

// PatrolAtOnce sets how many events, and requests, are looked at together, until it is
// called again.
func PatrolAtOnce(events, requests int) (int, int) {
	wereEvents, wereRequests := patrolEvents, patrolRequests
	patrolEvents, patrolRequests = events, requests
	return wereEvents, wereRequests
}

// Nameless is what erasing makes of a column.
var Nameless = nameless

// EraseAtOnce sets how many rows are held at a time, until it is called again.
func EraseAtOnce(n int) (before int) {
	before, erasedAtOnce = erasedAtOnce, n
	return before
}

// Look sets how many rows a search looks through: before it asks the index, and after that,
// until it is called again.
func Look(n [2]int) (before [2]int) {
	before, windows = windows, n
	return before
}

// Soon sets how many requests are read sooner than those of a list are looked through, until
// it is called again.
func Soon(n int) (before int) {
	before, soonRead = soonRead, n
	return before
}
