package sqldb

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// sessionSettings are set by a statement on each new connection, because a connection pooler refuses or drops them as
// startup parameters.
var sessionSettings = []string{
	"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "default_transaction_read_only",
}

// withSession returns config with a hook that sets the sessionSettings of each new connection.
func withSession(config *postgresConfig) *postgresConfig {
	config = config.Copy()
	var calls []string
	var args [][]byte
	for _, name := range sessionSettings {
		if value, ok := config.RuntimeParams[name]; ok {
			delete(config.RuntimeParams, name)
			args = append(args, []byte(value))
			calls = append(calls, fmt.Sprintf("set_config('%s', $%d, false)", name, len(args)))
		}
	}
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil { // target_session_attrs
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		if err := conn.ExecParams(ctx, "SELECT "+strings.Join(calls, ", "), args, nil, nil, nil).Read().Err; err != nil {
			return fmt.Errorf("set the limits of the connection: %w", err)
		}
		return nil
	}
	return config
}
