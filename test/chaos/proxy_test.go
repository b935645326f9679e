package chaos

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// proxy speaks the protocol of PostgreSQL, and can be a server whose disk is full.
type proxy struct {
	*sqldbtest.Proxy
	full atomic.Bool
}

// newProxy returns a proxy to the database, whole, and the URL through it.
func newProxy(t *testing.T, database string) (p *proxy, url string) {
	t.Helper()
	p = &proxy{}
	p.Proxy, url = sqldbtest.Between(t, database, p.ways)
	return p, url
}

// ways pass messages on.
func (p *proxy) ways(near, far net.Conn) (up, down func()) {
	service, server := pgproto3.NewBackend(near, near), pgproto3.NewFrontend(far, far)
	refused := new(atomic.Bool) // the error is due to a commit
	up = func() {
		hello, err := service.ReceiveStartupMessage()
		if err != nil {
			return
		}
		server.Send(hello)
		for err == nil {
			if err = server.Flush(); err == nil {
				err = p.ask(service, server, refused)
			}
		}
	}
	down = func() {
		for p.answer(service, server, refused) == nil {
		}
	}
	return up, down
}

// ask reads the next message of the service. On a full disk no commit comes through.
func (p *proxy) ask(service *pgproto3.Backend, server *pgproto3.Frontend, refused *atomic.Bool) error {
	message, err := service.Receive()
	if err != nil {
		return err
	}
	if sent, simple := message.(*pgproto3.Query); simple && sent.String == "COMMIT" && p.full.Load() {
		refused.Store(true)
		sent.String = "no statement"
	}
	server.Send(message)
	return nil
}

// answer passes the next message of the server on.
func (p *proxy) answer(service *pgproto3.Backend, server *pgproto3.Frontend, refused *atomic.Bool) error {
	message, err := server.Receive()
	if err != nil {
		return err
	}
	switch message.(type) {
	case *pgproto3.AuthenticationSASL:
		err = service.SetAuthType(pgproto3.AuthTypeSASL)
	case *pgproto3.AuthenticationSASLContinue:
		err = service.SetAuthType(pgproto3.AuthTypeSASLContinue)
	case *pgproto3.AuthenticationMD5Password, *pgproto3.AuthenticationCleartextPassword:
		err = service.SetAuthType(pgproto3.AuthTypeCleartextPassword) // both send a password message
	case *pgproto3.ErrorResponse:
		if refused.Swap(false) {
			message = &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "53100",
				Message: "could not extend file: No space left on device"}
		}
	}
	service.Send(message)
	return errors.Join(err, service.Flush())
}
