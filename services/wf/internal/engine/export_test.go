package engine

// GoneAtOnce sets the number of absent users per sweep and returns the previous value.
func GoneAtOnce(n int) (before int) {
	before, goneAtOnce = goneAtOnce, n
	return before
}
