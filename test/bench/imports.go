package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// imports measures how fast clients that exist already are brought in and taken out, by the
// commands of oidc-registrar, and that it takes the same memory however many they are.
type imports struct {
	bench
	clients int
}

// importsPart is the name of this part of the program.
const importsPart = "import"

// imported is one run of a command.
type imported struct {
	step, on string
	clients  int
	took     time.Duration
	cpu      time.Duration
	peak     int64 // resident memory, in bytes
}

// importSteps are what is measured, one after another on one database, with what the command
// says then of so many clients.
var importSteps = []struct {
	name string
	args []string
	says string
}{
	{"import, dry run", []string{"import"}, "would bring in %d clients, 0 of them flagged"},
	{"import", []string{"import", "--no-dry-run"}, "brought in %d clients, 0 of them flagged"},
	{"import again", []string{"import", "--no-dry-run"}, "; %d are here already"},
	{"export", []string{"export"}, "exported %d clients"},
}

func (i *imports) run(ctx context.Context) ([]imported, error) {
	if err := i.build(ctx); err != nil {
		return nil, err
	}
	var list []imported
	for _, clients := range []int{max(i.clients/10, 1), i.clients} {
		i.progress("make a file of %d clients", clients)
		file := filepath.Join(i.dir, fmt.Sprintf("clients-%d.ndjson", clients))
		if err := writeClients(file, clients); err != nil {
			return list, err
		}
		name, err := i.createDatabase(ctx, "")
		if err != nil {
			return list, err
		}
		databases := [][2]string{{"PostgreSQL", i.databaseURL(name)}, {"SQLite", "sqlite:" + filepath.Join(i.dir, fmt.Sprintf("clients-%d.db", clients))}}
		for _, on := range databases {
			more, err := i.on(ctx, on[0], on[1], file, clients)
			if list = append(list, more...); err != nil {
				i.dropDatabase(ctx, name)
				return list, fmt.Errorf("on %s: %w", on[0], err)
			}
		}
		i.dropDatabase(ctx, name)
		if err := os.Remove(file); err != nil {
			return list, err
		}
	}
	return list, nil
}

// on runs every step on one database.
func (i *imports) on(ctx context.Context, on, databaseURL, file string, clients int) ([]imported, error) {
	if _, err := i.command(ctx, databaseURL, "", "migrate"); err != nil {
		return nil, err
	}
	var list []imported
	for _, s := range importSteps {
		i.progress("%s of %d clients on %s", s.name, clients, on)
		target := file
		if s.name == "export" {
			target = filepath.Join(i.dir, fmt.Sprintf("export-%s-%d.ndjson", on, clients))
		}
		m, err := i.command(ctx, databaseURL, fmt.Sprintf(s.says, clients), append(s.args, target)...)
		if err != nil {
			return list, fmt.Errorf("%s: %w", s.name, err)
		}
		m.step, m.on, m.clients = s.name, on, clients
		list = append(list, m)
	}
	return list, nil
}

// command runs the program, which has to say something, to its end.
func (i *imports) command(ctx context.Context, databaseURL, says string, args ...string) (m imported, err error) {
	cmd := exec.CommandContext(ctx, i.path, args...)
	cmd.Env = []string{"REGISTRAR_DATABASE_URL=" + databaseURL}
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	m.took = time.Since(begin)
	if err != nil || !strings.Contains(string(out), says) {
		return m, fmt.Errorf("%s: %w, and says %s", strings.Join(args, " "), err, out[max(0, len(out)-1000):])
	}
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.peak = usage.Maxrss << 10
	}
	return m, nil
}

// writeClients writes a file to import, of clients with keys of their own.
func writeClients(name string, n int) error {
	file, err := os.Create(name) // #nosec G304 -- in the folder of the run
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	text := base64.RawURLEncoding.EncodeToString
	for i := range n {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return err
		}
		point, err := key.PublicKey.Bytes()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, `{"clientId":"moved-%d","door":"provider","clientName":"Health portal %d","partnerId":"rp-%d",`+
			`"publicKey":{"kty":"EC","crv":"P-256","x":%q,"y":%q},"userClaims":["name","email"],"authContextRefs":["mosip:idp:acr:generated-code"],`+
			`"logoUri":"https://rp.example/logo.png","redirectUris":["https://rp.example/callback/%d"],"grantTypes":["authorization_code"],`+
			`"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE","createdAt":"2024-01-01T00:00:00.000Z"}`+"\n", i, i, i%1000, text(point[1:33]), text(point[33:]), i)
	}
	return out.Flush()
}

// moves is the table of imports and exports.
func (r report) moves(w *tabwriter.Writer) {
	fmt.Fprintln(w, "step\ton\tclients\tclients/s\ttook\tCPU each\tmemory at most\t")
	for _, m := range r.imported {
		fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%.1f s\t%.2f ms\t%.1f MB\t\n", m.step, m.on, m.clients, float64(m.clients)/m.took.Seconds(), m.took.Seconds(),
			float64(m.cpu)/1e6/float64(m.clients), float64(m.peak)/1e6)
	}
}

// moveGoals are that memory does not grow with the number of clients, but for the few bytes
// a line that a dry run remembers.
func (r report) moveGoals() (goals []goal) {
	for n, m := range r.imported {
		for _, tenth := range r.imported[:n] {
			if tenth.step != m.step || tenth.on != m.on || tenth.clients == m.clients {
				continue
			}
			most := int64(16 << 20)
			if m.step == importSteps[0].name {
				most += 100 * int64(m.clients)
			}
			goals = append(goals, goal{m.peak-tenth.peak <= most, fmt.Sprintf("%s on %s: %.1f MB for %d clients and %.1f MB for %d, which is to be within %.0f MB",
				m.step, m.on, float64(m.peak)/1e6, m.clients, float64(tenth.peak)/1e6, tenth.clients, float64(most)/1e6)})
		}
	}
	return goals
}
