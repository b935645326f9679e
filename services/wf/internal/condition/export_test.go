package condition

import "time"

// SetMaxTime changes the time limit of an evaluation, and returns a function that restores it.
func SetMaxTime(d time.Duration) (restore func()) {
	before := maxTime
	maxTime = d
	return func() { maxTime = before }
}

func init() { maxTime = time.Minute } // the cost ends an evaluation, also on a slow machine
