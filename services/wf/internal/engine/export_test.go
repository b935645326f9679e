package engine

// GoneAtOnce sets for how many people who have left one sweep looks, until it is called
// again.
func GoneAtOnce(n int) (before int) {
	before, goneAtOnce = goneAtOnce, n
	return before
}
