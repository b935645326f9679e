package sqldb

// Select is Stmt, until its last users are rewritten.
type Select = Stmt

// Load is Batch.
func (tx *Tx) Load(stmts ...Stmt) error { return tx.Batch(stmts...) }

// Last does nothing.
func (tx *Tx) Last() {}

// IsLast is false.
func (tx *Tx) IsLast() bool { return false }
