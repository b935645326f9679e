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
	bodyTime  = 5 * time.Second // time limit of a body
	bodyGrace = time.Second     // time before bodyRate applies
	bodyRate  = 1 << 10         // bytes a second

	// bodySpread is the maximum random addition to the grace, so that calls that started together are not
	// refused together.
	bodySpread = time.Second / 2

	firstBuffer = 4 << 10
)

// readBody reads the body of a call. It charges the call for the buffer as that grows, so that a slow body
// costs its received bytes and no slot.
func (s *Server) readBody(c *call, w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	start, grace := time.Now(), bodyGrace+rand.N(bodySpread) // #nosec G404 -- jitter
	most := s.options.MaxBody + 1                            // one byte more detects the end or an excess
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
			return nil, s.refuseUnread(w, err)
		}
	}
}

// bodyDeadline returns the deadline for the next bytes of a body after n bytes.
func bodyDeadline(start time.Time, grace time.Duration, n int) time.Time {
	return start.Add(min(bodyTime, grace+time.Duration(n)*time.Second/bodyRate))
}

// refuseUnread returns the refusal of a body that was not read. The rest of it is not read: the connection closes
// with the reply.
func (s *Server) refuseUnread(w http.ResponseWriter, err error) error {
	w.Header().Set("Connection", "close")
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal.Error{Reason: TooLarge, Message: "the body is too large"}
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return s.refuse("body_time", &refusal.Error{Reason: TooSlow, Message: "the body came too slowly"})
	}
	return &refusal.Error{Reason: BadRequest, Message: "the body could not be read"}
}
