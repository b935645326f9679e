package web

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

const (
	bodyTime  = 5 * time.Second // in which a body has to be there
	bodyGrace = time.Second     // before it has to come at bodyRate
	bodyRate  = 1 << 10         // bytes a second

	// bodySpread is the most that a body gets besides the grace, by chance, so that calls
	// that began at one moment are not all refused at one moment.
	bodySpread = time.Second / 2

	firstBuffer = 4 << 10
)

// readBody reads the body of a call. The call is charged for the memory as that grows, so
// that a body that comes slowly costs what has come of it, and no slot.
func (s *Server) readBody(c *call, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	start, grace := time.Now(), bodyGrace+rand.N(bodySpread) // #nosec G404 -- jitter
	most := s.options.MaxBody + 1                            // one byte, to see the end or that there is more
	if 0 <= r.ContentLength && r.ContentLength < most {
		most = r.ContentLength + 1
	}
	in := http.MaxBytesReader(w, r.Body, s.options.MaxBody)
	var body []byte
	for {
		if len(body) == cap(body) {
			grown := min(max(2*int64(cap(body)), firstBuffer), most)
			if err := s.charge(c, grown-int64(cap(body))); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, grown), body...)
		}
		_ = c.control.SetReadDeadline(bodyDeadline(start, grace, len(body))) // a recorder in a test has none
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, s.unread(w, err)
		}
	}
}

// bodyDeadline is when more of a body has to come that began at a time and of which n
// bytes are there.
func bodyDeadline(start time.Time, grace time.Duration, n int) time.Time {
	return start.Add(min(bodyTime, grace+time.Duration(n)*time.Second/bodyRate))
}

// unread says why a body was not read. What is left of it is not worth reading, so the
// connection ends with the reply.
func (s *Server) unread(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal.Error{Reason: TooLarge, Message: "the body is too large"}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return s.refuse("body_time", &refusal.Error{Reason: TooSlow, Message: "the body came too slowly"})
	}
	return &refusal.Error{Reason: BadRequest, Message: "the body could not be read"}
}
