package egress_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/egress"
)

func TestCheckURLRefusesForbiddenURLs(t *testing.T) {
	https := egress.Policy{}
	anything := egress.Policy{AllowHTTP: true, AnyPort: true}
	tests := map[string]struct {
		policy egress.Policy
		url    string
	}{
		"plain http":                          {https, "http://rp.example/"},
		"a scheme that is not http":           {anything, "ftp://rp.example/"},
		"a file":                              {anything, "file:///etc/passwd"},
		"gopher":                              {anything, "gopher://rp.example/"},
		"a script":                            {anything, "javascript:alert(1)"},
		"no scheme":                           {anything, "//rp.example/"},
		"a path":                              {anything, "/hook"},
		"nothing":                             {anything, ""},
		"no host":                             {anything, "https:///hook"},
		"an opaque URL":                       {anything, "https:rp.example"},
		"a user":                              {anything, "https://ana@rp.example/"},
		"a user and password":                 {anything, "https://ana:pw@rp.example/"},
		"an empty user":                       {anything, "https://@rp.example/"},
		"a port not on the list":              {https, "https://rp.example:8443/"},
		"port 80 without http":                {https, "https://rp.example:80/"},
		"port 0":                              {anything, "https://rp.example:0/"},
		"an empty port":                       {anything, "https://rp.example:/"},
		"a port with a leading zero":          {anything, "https://rp.example:0443/"},
		"a port out of range":                 {anything, "https://rp.example:65979/"},
		"a control character":                 {anything, "https://rp.example/\x01"},
		"a newline":                           {anything, "https://rp.example/\r\nX: y"},
		"a newline in the query":              {anything, "https://rp.example/?a=\nb"},
		"a space":                             {anything, "https://rp.example/a b"},
		"a DEL":                               {anything, "https://rp.example/\x7f"},
		"a host that is not ASCII":            {anything, "https://еxample.com/"},
		"a path that is not ASCII":            {anything, "https://rp.example/é"},
		"a backslash":                         {anything, `https://rp.example\@evil.example/`},
		"a percent-encoded host":              {anything, "https://%31%32%37.0.0.1/"},
		"an upper-case scheme":                {anything, "HTTPS://rp.example/"},
		"an underscore in the host":           {anything, "https://rp_one.example/"},
		"an empty label":                      {anything, "https://rp..example/"},
		"a wildcard":                          {anything, "https://*.rp.example/"},
		"punycode that decodes to nothing":    {anything, "https://xn--/"},
		"loopback":                            {anything, "http://127.0.0.1"},
		"localhost":                           {anything, "http://localhost"},
		"localhost in capitals":               {anything, "http://LOCALHOST"},
		"localhost with a dot":                {anything, "http://localhost./"},
		"a name below localhost":              {anything, "http://api.localhost/"},
		"two-part address":                    {anything, "http://127.1"},
		"decimal address":                     {anything, "http://2130706433"},
		"hexadecimal address":                 {anything, "http://0x7f000001"},
		"octal address":                       {anything, "http://0177.0.0.1"},
		"zero":                                {anything, "http://0"},
		"an address with a dot":               {anything, "http://127.0.0.1./"},
		"a hexadecimal part":                  {anything, "http://127.0.0.0x1/"},
		"an empty hexadecimal part":           {anything, "http://127.0.0.0x/"},
		"this host":                           {anything, "http://0.0.0.0"},
		"loopback v6":                         {anything, "http://[::1]"},
		"unspecified v6":                      {anything, "http://[::]"},
		"mapped loopback":                     {anything, "http://[::ffff:127.0.0.1]"},
		"mapped loopback in hexadecimal":      {anything, "http://[::ffff:7f00:1]"},
		"mapped loopback in full":             {anything, "http://[0:0:0:0:0:ffff:7f00:1]"},
		"S15 NAT64 loopback":                  {anything, "http://[64:ff9b::7f00:1]"},
		"NAT64 metadata":                      {anything, "http://[64:ff9b::a9fe:a9fe]"},
		"6to4 loopback":                       {anything, "http://[2002:7f00:1::]"},
		"6to4 of a public address":            {anything, "http://[2002:808:808::]"},
		"S17 Teredo":                          {anything, "http://[2001:0:808:808::f7f7:f7f7]"},
		"link-local with a zone":              {anything, "http://[fe80::1%25eth0]"},
		"a public address with a zone":        {anything, "http://[2606:4700::1%25eth0]"},
		"unique local":                        {anything, "http://[fc00::1]"},
		"metadata v6":                         {anything, "http://[fd00:ec2::254]"},
		"metadata":                            {anything, "http://169.254.169.254"},
		"container metadata":                  {anything, "http://169.254.170.2"},
		"private, 10/8":                       {anything, "http://10.0.0.1"},
		"private, 172.16/12":                  {anything, "http://172.31.255.255"},
		"private, 192.168/16":                 {anything, "http://192.168.1.1"},
		"shared address space":                {anything, "http://100.64.0.1"},
		"benchmarking":                        {anything, "http://198.18.0.1"},
		"documentation":                       {anything, "http://203.0.113.1"},
		"multicast":                           {anything, "http://224.0.0.1"},
		"broadcast":                           {anything, "http://255.255.255.255"},
		"documentation v6":                    {anything, "http://[2001:db8::1]"},
		"local NAT64 (RFC 8215)":              {anything, "http://[64:ff9b:1::7f00:1]"},
		"an address compatible with IPv4":     {anything, "http://[::127.0.0.1]"},
		"more than 2,048 bytes":               {https, "https://rp.example/" + strings.Repeat("a", 2048-18)},
		"an address in brackets that is IPv4": {anything, "http://[127.0.0.1]/"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.policy.CheckURL(tt.url); err == nil {
				t.Errorf("CheckURL(%q) = nil, want an error", tt.url)
			}
		})
	}
}

func TestCheckURLAcceptsCallableURLs(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	tests := map[string]struct {
		policy egress.Policy
		url    string
	}{
		"https":                           {egress.Policy{}, "https://rp.example/hook?a=b&c=%20d"},
		"no path":                         {egress.Policy{}, "https://rp.example"},
		"the port spelled out":            {egress.Policy{}, "https://rp.example:443/"},
		"a name in capitals":              {egress.Policy{}, "https://RP.example/"},
		"a name with a dot":               {egress.Policy{}, "https://rp.example./"},
		"an internationalised name":       {egress.Policy{}, "https://xn--bcher-kva.example/"},
		"a name that contains localhost":  {egress.Policy{}, "https://localhost.evil.example/"},
		"a name that begins with digits":  {egress.Policy{}, "https://127.0.0.1.rp.example/"},
		"another port on the list":        {egress.Policy{Ports: []uint16{8443}}, "https://rp.example:8443/"},
		"http where allowed":              {egress.Policy{AllowHTTP: true}, "http://rp.example/"},
		"a public address":                {egress.Policy{}, "https://8.8.8.8/"},
		"a public v6 address":             {egress.Policy{}, "https://[2606:4700::1111]/"},
		"a public address behind NAT64":   {egress.Policy{}, "https://[64:ff9b::808:808]/"},
		"an opened address":               {egress.Policy{Allow: loopback}, "https://127.0.0.1/"},
		"an opened address, mapped":       {egress.Policy{Allow: loopback}, "https://[::ffff:127.0.0.1]/"},
		"localhost where loopback opened": {egress.Policy{Allow: loopback, AllowHTTP: true, AnyPort: true}, "http://localhost:9000/"},
		"exactly 2,048 bytes":             {egress.Policy{}, "https://rp.example/" + strings.Repeat("a", 2048-19)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.policy.CheckURL(tt.url); err != nil {
				t.Errorf("CheckURL(%q) = %v, want nil", tt.url, err)
			}
		})
	}
}

func TestValidateRefusesAPolicyThatOpensTooMuch(t *testing.T) {
	allow := func(prefix string) egress.Policy {
		return egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix(prefix)}}
	}
	bad := map[string]egress.Policy{
		"everything":             allow("0.0.0.0/0"),
		"everything v6":          allow("::/0"),
		"metadata":               allow("169.254.169.254/32"),
		"the link-local range":   allow("169.254.0.0/16"),
		"more than link-local":   allow("160.0.0.0/4"),
		"link-local v6":          allow("fe80::/64"),
		"metadata v6":            allow("fd00:ec2::254/128"),
		"metadata, mapped":       allow("::ffff:169.254.0.0/112"),
		"no prefix":              {Allow: []netip.Prefix{{}}},
		"port 0":                 {Ports: []uint16{443, 0}},
		"a negative time":        {Total: -1},
		"a negative wait":        {RetryWait: -1},
		"a negative connections": {MaxPerHost: -1},
	}
	for name, p := range bad {
		t.Run(name, func(t *testing.T) {
			if p.Validate() == nil {
				t.Error("Validate() = nil, want an error")
			}
		})
	}
	for _, prefix := range []string{"10.5.0.0/16", "127.0.0.0/8", "fd00::/8", "::1/128"} {
		if err := allow(prefix).Validate(); err != nil {
			t.Errorf("Validate() with %s = %v, want nil", prefix, err)
		}
	}
}
