package condition

import "time"

// SetMaxTime changes the time limit of an evaluation, and returns a function that restores it.
func SetMaxTime(d time.Duration) (restore func()) {
	before := maxTime
	maxTime = d
	return func() { maxTime = before }
}

func init() { maxTime = time.Minute } // the cost ends an evaluation, also on a slow machine

// Bool and Strings are Evaluate for a condition and for names.
func (s *Scope) Bool(expr string, in Input) (bool, error) {
	v, err := s.Evaluate(expr, Bool, in)
	return v.Bool, err
}

func (s *Scope) Strings(expr string, in Input) ([]string, error) {
	v, err := s.Evaluate(expr, Names, in)
	return v.Names, err
}
