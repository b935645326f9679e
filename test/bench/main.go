// Command bench measures both services over HTTP: create, decide, list and register. README.md explains the report.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5"
)

type flags struct {
	Rounds   int     `default:"5" help:"Repetitions of each measurement; the report has medians."`
	Seconds  float64 `default:"1.25" help:"Duration of a step in a round, at each number of connections."`
	Only     string  `enum:",wf,oidc-registrar" default:"" help:"One service: wf or oidc-registrar."`
	Bin      string  `type:"existingdir" default:"bin" placeholder:"DIR" help:"Folder with the programs."`
	Postgres string  `env:"TEST_POSTGRES_URL" required:"" placeholder:"URL" help:"PostgreSQL server; its role may create databases."`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Name("bench"), kong.Description("Measures the services over HTTP."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, f, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the services and prints a line for each step.
func run(ctx context.Context, f flags, out io.Writer) error {
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
	header, err := describe(ctx, admin)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n%d rounds of %.2f s, without rate limits\n\n", header, f.Rounds, f.Seconds)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "step\ton\tconnections\tcalls/s\tp50\tp99\tCPU of a call\t")
	for _, s := range []subject{wf, registrar} {
		if f.Only != "" && f.Only != s.program {
			continue
		}
		name := "bench_" + strings.ToLower(rand.Text())
		if _, err := admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
			return fmt.Errorf("create database: %w", err)
		}
		defer func() { _, _ = admin.Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)") }()
		server.Path = "/" + name
		b := bench{subject: s, path: filepath.Join(f.Bin, s.program), dir: dir, rounds: f.Rounds,
			phase: time.Duration(f.Seconds * float64(time.Second)), out: table}
		for _, database := range []string{server.String(), "sqlite:" + filepath.Join(dir, s.program+".db")} {
			if err := b.measure(ctx, database); err != nil {
				return fmt.Errorf("%s: %w", s.program, err)
			}
		}
	}
	return table.Flush()
}

// describe describes the platform of the run.
func describe(ctx context.Context, admin *pgx.Conn) (string, error) {
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
