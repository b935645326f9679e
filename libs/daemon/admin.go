package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/web"
)

// adminOff disables the admin listener, as does an empty setting.
const adminOff = "off"

func (s *Settings) admin() bool { return s.AdminListen != "" && s.AdminListen != adminOff }

// checkAdmin adds the problems of the admin listener's address.
func (s *Settings) checkAdmin(p *Problems) {
	if !s.admin() {
		return
	}
	host, port, err := net.SplitHostPort(s.AdminListen)
	switch {
	case err != nil:
		p.Add("ADMIN_LISTEN", "%q is neither an address, such as 127.0.0.1:9080, nor off", s.AdminListen)
	case s.AdminListen == s.Listen && port != "0":
		p.Add("ADMIN_LISTEN", "%s is the address of %sLISTEN: metrics and profiles are not for callers", s.AdminListen, s.Prefix)
	case s.Dev && !web.IsLoopback(host):
		p.Add("ADMIN_LISTEN", "development mode listens on loopback only, such as 127.0.0.1:9080")
	}
}

// serveAdmin serves metrics and profiles until stop is called. They are available
// before the database is, and until the last call is answered.
func (s *Settings) serveAdmin(log *slog.Logger, registry *metrics.Registry) (stop func(), err error) {
	if !s.admin() || registry == nil {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", s.AdminListen)
	if err != nil {
		return nil, fmt.Errorf("%[1]sADMIN_LISTEN: %[2]w (%[1]sADMIN_LISTEN=off disables metrics)", s.Prefix, err)
	}
	server := &http.Server{
		Handler: admin(registry), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10,
		WriteTimeout: 5 * time.Minute, // the caller chooses the duration of a profile
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	address := listener.Addr().String()
	log.Info("serving metrics and profiles", "admin", address)
	if host, _, _ := net.SplitHostPort(address); !web.IsLoopback(host) {
		log.Warn("metrics and profiles need no token; restrict the address to operators", "admin", address)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics listener stopped", "error", err)
		}
	}()
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}

// admin serves metrics and profiles. It omits the command line, which can contain secrets.
func admin(registry *metrics.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", registry.Handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
