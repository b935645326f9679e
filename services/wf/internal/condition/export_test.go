package condition

import "time"

// SetMaxTime changes how long an evaluation may take. Tests of the other limits
// put the clock out of the way, so that they do not depend on the machine.
func (e *Env) SetMaxTime(d time.Duration) { e.maxTime = d }
