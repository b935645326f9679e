package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// findPgbench returns the path of pgbench, which distributions keep out of PATH.
func findPgbench(ctx context.Context) (string, error) {
	candidates := []string{"pgbench"}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/pgbench", "/usr/pgsql-*/bin/pgbench", "/usr/libexec/postgresql*/pgbench"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", err
		}
		candidates = append(candidates, found...)
	}
	for _, path := range candidates {
		// Debian's wrapper in PATH exits 1 where it finds no cluster of its own.
		if exec.CommandContext(ctx, path, "--version").Run() == nil {
			return path, nil
		}
	}
	return "", errors.New("no pgbench here; it comes with PostgreSQL's server or contrib package")
}

// sqlSide does in SQL alone what the service does, in a copy of its database.
type sqlSide struct {
	bench   *bench
	url     string
	conn    *pgx.Conn
	scripts []script
	files   []string

	clients, transactions int   // transactions of each client
	base, next            int64 // the first transaction number of these, and of the next ones
}

func (b *bench) newSQLSide(ctx context.Context, database string, scripts []script) (*sqlSide, error) {
	conn, err := b.connect(ctx, database)
	if err != nil {
		return nil, err
	}
	s := &sqlSide{bench: b, url: b.databaseURL(database), conn: conn, scripts: scripts}
	for i, script := range scripts {
		file := filepath.Join(b.dir, fmt.Sprintf("%s-%d.sql", b.program, i))
		if err := os.WriteFile(file, []byte(script.text), 0o600); err != nil {
			s.close(ctx)
			return nil, err
		}
		s.files = append(s.files, file)
	}
	return s, nil
}

func (s *sqlSide) close(ctx context.Context) { _ = s.conn.Close(context.WithoutCancel(ctx)) }

// begin reserves transaction numbers for so many clients, which are together to run
// each script at least n times.
func (s *sqlSide) begin(clients, n int) {
	s.clients, s.transactions = clients, (n+clients-1)/clients
	s.base = s.next
	s.next += int64(s.clients * s.transactions)
}

// run does the i-th step, one statement a round trip, and returns how fast that was.
func (s *sqlSide) run(ctx context.Context, i int) (speed, error) {
	var reached speed
	err := counted(ctx, s.conn, s.bench.steps[i], func() (int, error) {
		logs, err := os.MkdirTemp(s.bench.dir, "pgbench-")
		if err != nil {
			return 0, err
		}
		args := []string{
			"--no-vacuum", "--protocol=prepared", "--file=" + s.files[i],
			"--client=" + strconv.Itoa(s.clients), "--jobs=" + strconv.Itoa(min(s.clients, 2)), "--transactions=" + strconv.Itoa(s.transactions),
			"--log", "--log-prefix=" + filepath.Join(logs, "log"),
			"--define=base=" + strconv.FormatInt(s.base, 10), "--define=done=0", "--define=clients=" + strconv.Itoa(s.clients),
		}
		for _, variable := range s.scripts[i].variables {
			args = append(args, "--define="+variable)
		}
		cmd := exec.CommandContext(ctx, s.bench.pgbench, append(args, s.url)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
		}
		samples, err := readLogs(logs)
		reached = summarise(samples)
		return len(samples), err
	})
	return reached, err
}

// readLogs reads pgbench's log of every transaction: client, number, µs, script, and
// the end as seconds and µs.
func readLogs(dir string) ([]sample, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "log.*"))
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			var client, n, latency, script, second, micro int64
			if _, err := fmt.Sscan(lines.Text(), &client, &n, &latency, &script, &second, &micro); err != nil {
				return nil, errors.Join(fmt.Errorf("line %q of pgbench's log: %w", lines.Text(), err), file.Close())
			}
			samples = append(samples, sample{
				conn: int(client), end: time.Unix(second, micro*1000), latency: time.Duration(latency) * time.Microsecond,
			})
		}
		if err := errors.Join(lines.Err(), file.Close()); err != nil {
			return nil, err
		}
	}
	return samples, nil
}
