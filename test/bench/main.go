// Command bench measures the services: how many calls they answer over HTTP beside
// how often PostgreSQL alone can do the same statements, and what they need to run.
// README.md says how to read what it prints. make bench runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"
)

type flags struct {
	Rounds   int     `default:"5" help:"How often everything is measured in turn; the median counts."`
	Seconds  float64 `default:"1.25" help:"How long the first step is called in a round, at each number of connections."`
	Paced    float64 `default:"10" help:"How long calls come at a fixed rate, in seconds."`
	Backlog  int     `default:"6000" help:"How many webhooks wait before they are worked off, in each round."`
	Stuck    int     `default:"10000" help:"How many webhooks wait for an endpoint that hangs."`
	Only     string  `enum:",wf,oidc-registrar,webhooks" default:"" help:"Measure one part: wf, oidc-registrar, or the webhooks of wf."`
	Keep     string  `placeholder:"DIR" help:"New folder in which everything that the run makes is left: scripts of pgbench, logs."`
	Bin      string  `type:"existingdir" placeholder:"DIR" help:"Folder with the programs; without it they are built."`
	Postgres string  `env:"TEST_POSTGRES_URL" required:"" placeholder:"URL" help:"PostgreSQL server, whose role may create databases."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measures the services beside PostgreSQL alone."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, f, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures and prints the report on out; progress says what is being measured.
func run(ctx context.Context, f flags, out, progress io.Writer) error {
	dir, err := workFolder(f.Keep)
	if err != nil {
		return err
	}
	if f.Keep == "" {
		defer os.RemoveAll(dir)
	}
	server, err := url.Parse(f.Postgres)
	if err != nil {
		return errors.New("TEST_POSTGRES_URL is not a URL") // what Parse says quotes the password
	}
	admin, err := pgx.Connect(ctx, f.Postgres)
	if err != nil {
		return err
	}
	defer admin.Close(context.WithoutCancel(ctx))
	tool, err := findPgbench(ctx)
	if err != nil {
		return err
	}
	header, err := machine(ctx, admin)
	if err != nil {
		return err
	}

	var r report
	part := func(s subject, name string) bench {
		return bench{
			subject: s, count: f.Rounds, phase: seconds(f.Seconds), paced: seconds(f.Paced),
			url: server, admin: admin, pgbench: tool, dir: dir, bin: f.Bin,
			progress: func(format string, args ...any) { fmt.Fprintf(progress, name+": "+format+"\n", args...) },
		}
	}
	for _, s := range []subject{wf, registrar} {
		if f.Only != "" && f.Only != s.program {
			continue
		}
		b := part(s, s.program)
		result, err := b.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.program, err)
		}
		r.services = append(r.services, result)
	}
	if f.Only == "" || f.Only == hooksPart {
		w := webhooks{bench: part(wf, hooksPart), backlog: f.Backlog, stuck: f.Stuck}
		if r.sent, err = w.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", hooksPart, err)
		}
	}
	fmt.Fprintf(out, "%s\n%d rounds of %.1f s\n", header, f.Rounds, f.Seconds)
	return r.print(out)
}

// workFolder makes the folder to work in: keep, or a temporary one.
func workFolder(keep string) (string, error) {
	if keep == "" {
		return os.MkdirTemp("", "countersign-bench-")
	}
	if err := os.Mkdir(keep, 0o700); err != nil {
		return "", err
	}
	return filepath.Abs(keep)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// machine describes what everything runs on.
func machine(ctx context.Context, admin *pgx.Conn) (string, error) {
	var version, fsync, commit string
	err := admin.QueryRow(ctx, "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')").
		Scan(&version, &fsync, &commit)
	if err != nil {
		return "", fmt.Errorf("ask for the server's settings: %w", err)
	}
	text := fmt.Sprintf("%s, %d CPUs, PostgreSQL %s with fsync=%s synchronous_commit=%s",
		runtime.Version(), runtime.NumCPU(), version, fsync, commit)
	if fsync != "on" || commit != "on" {
		text += "\nThis server loses commits in a power cut: the numbers are not those of a production server."
	}
	return text, nil
}
