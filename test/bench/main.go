// Command bench measures both services over HTTP: create, decide and register, creation as the
// database grows, and lists with 100,000 open tasks. README.md explains the report.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"
)

type flags struct {
	Rounds   int     `default:"5" help:"Repetitions of each measurement; the report has medians."`
	Seconds  float64 `default:"1.25" help:"Duration of a step in a round, at each number of connections."`
	Requests int     `default:"1000000" help:"Requests in the database of the lists."`
	Only     string  `enum:",wf,oidc-registrar,lists" default:"" help:"One part: wf, oidc-registrar or lists."`
	Bin      string  `type:"existingdir" placeholder:"DIR" help:"Folder with the programs, such as those of another commit. They are built without it."`
	Postgres string  `env:"TEST_POSTGRES_URL" required:"" placeholder:"URL" help:"PostgreSQL server; its role may create databases."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measures the services over HTTP."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, f, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the parts and prints the report, also of a run that fails later.
func run(ctx context.Context, f flags, out, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := url.Parse(f.Postgres)
	if err != nil {
		return errors.New("TEST_POSTGRES_URL is not a URL") // the error of Parse contains the password
	}
	admin, err := pgx.Connect(ctx, f.Postgres)
	if err != nil {
		return err
	}
	defer admin.Close(context.WithoutCancel(ctx))
	header, err := machine(ctx, admin)
	if err != nil {
		return err
	}
	part := func(s subject) bench {
		return bench{
			subject: s, count: f.Rounds, phase: time.Duration(f.Seconds * float64(time.Second)),
			url: server, admin: admin, dir: dir, bin: f.Bin,
			progress: func(format string, args ...any) { fmt.Fprintf(progress, s.name+": "+format+"\n", args...) },
		}
	}
	var r report
	for _, s := range []subject{wf, registrar} {
		if f.Only == "" || f.Only == s.program {
			b := part(s)
			result, failure := b.run(ctx)
			r.services, err = append(r.services, result), errors.Join(err, failure)
		}
	}
	if f.Only == "" || f.Only == crowded.name {
		l := lists{bench: part(crowded), requests: f.Requests}
		l.settings = []string{"WF_WORKERS=false"} // a worker would report the audit chains of copied rows
		result, failure := l.run(ctx)
		r.lists, err = &result, errors.Join(err, failure)
	}
	fmt.Fprintf(out, "%s\n%d rounds of %.2f s, without rate limits\n", header, f.Rounds, f.Seconds)
	return errors.Join(err, r.print(out))
}

// machine describes the platform of the run.
func machine(ctx context.Context, admin *pgx.Conn) (string, error) {
	var version, fsync, commit string
	err := admin.QueryRow(ctx, "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')").
		Scan(&version, &fsync, &commit)
	if err != nil {
		return "", fmt.Errorf("read the settings of the server: %w", err)
	}
	text := fmt.Sprintf("%s, %d CPUs, PostgreSQL %s with fsync=%s synchronous_commit=%s",
		runtime.Version(), runtime.NumCPU(), version, fsync, commit)
	if fsync != "on" || commit != "on" {
		text += "\nThe server loses commits in a power failure: these figures are not those of a production server."
	}
	return text, nil
}
