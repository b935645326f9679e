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
	Listed   int     `default:"1000000" help:"How many requests there are when lists are measured."`
	Waiting  int     `default:"10000" help:"How many tasks are open when pages for people are measured."`
	People   int     `default:"1000" help:"How many people these tasks wait for."`
	Imported int     `default:"100000" help:"How many clients are brought in when imports are measured."`
	Only     string  `enum:",wf,oidc-registrar,observed,webhooks,lists,inbox,import" default:"" help:"Measure one part: wf, oidc-registrar, what metrics and traces cost wf, or its webhooks, its lists or its inbox, or imports into oidc-registrar."`
	Keep     string  `placeholder:"DIR" help:"New folder in which everything that the run makes is left: scripts of pgbench, logs; the databases of lists stay as well."`
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
	err = r.measure(ctx, f, func(s subject, name string) bench {
		return bench{
			subject: s, count: f.Rounds, phase: seconds(f.Seconds), paced: seconds(f.Paced),
			url: server, admin: admin, pgbench: tool, dir: dir, bin: f.Bin,
			progress: func(format string, args ...any) { fmt.Fprintf(progress, name+": "+format+"\n", args...) },
		}
	})
	fmt.Fprintf(out, "%s\n%d rounds of %.1f s, with the limits on rates off\n", header, f.Rounds, f.Seconds)
	return errors.Join(err, r.print(out))
}

// measure measures the parts that are wanted. What was measured stays when a later part
// fails, and the parts after it are tried.
func (r *report) measure(ctx context.Context, f flags, part func(subject, string) bench) error {
	var failures []error
	add := func(name string, measure func() error) {
		if f.Only != "" && f.Only != name || ctx.Err() != nil {
			return
		}
		if err := measure(); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, s := range []subject{wf, registrar, behindProvider} {
		add(s.program, func() error {
			b := part(s, s.name)
			result, err := b.run(ctx)
			if len(result.series) > 0 {
				r.services = append(r.services, result)
			}
			return err
		})
	}
	add(observedPart, func() (err error) {
		o := observed{part(wf, observedPart)}
		r.watched, err = o.run(ctx)
		return err
	})
	add(hooksPart, func() (err error) {
		w := webhooks{bench: part(wf, hooksPart), backlog: f.Backlog, stuck: f.Stuck}
		r.sent, err = w.run(ctx)
		return err
	})
	add(listsPart, func() (err error) {
		l := lists{bench: part(crowded, listsPart), keep: f.Keep != "", requests: f.Listed}
		l.settings = []string{"WF_WORKERS=false"} // the audit trail of copied rows does not hold, and a worker would say so
		r.listed, err = l.run(ctx)
		return err
	})
	add(inboxPart, func() (err error) {
		i := inbox{bench: part(crowded, inboxPart), tasks: f.Waiting, people: f.People}
		r.inboxed, err = i.run(ctx)
		return err
	})
	add(importsPart, func() (err error) {
		i := imports{bench: part(registrar, importsPart), clients: f.Imported}
		r.imported, err = i.run(ctx)
		return err
	})
	return errors.Join(append(failures, context.Cause(ctx))...)
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
