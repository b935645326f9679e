package registrartest

import (
	"net/netip"
	"time"

	"github.com/countersign/countersign/libs/egress"
)

// Loopback reaches a test's own servers, with a short patience.
var Loopback = egress.Policy{
	AllowHTTP: true, AnyPort: true, Total: 500 * time.Millisecond,
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
}
