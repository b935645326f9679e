package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/test/programs"
)

// hub is the address of the test and of etcd in the network of the clusters.
const hub = "10.98.0.1"

// node is a server of a cluster in a network namespace of its own.
type node struct {
	name, ip, dir string
	cluster       *cluster
}

// cluster is PostgreSQL with a standby, managed by Patroni with etcd.
type cluster struct {
	t     *testing.T
	bin   string // of PostgreSQL
	nodes []*node
}

// command runs a program, which must succeed.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// newCluster starts a cluster. With synchronous a commit waits for the standby.
func newCluster(t *testing.T, synchronous bool) *cluster {
	t.Helper()
	if os.Getenv("COUNTERSIGN_FAILOVER") != "1" {
		t.Skip("COUNTERSIGN_FAILOVER is not set; make check SUITE=failover sets it")
	}
	if why := os.Getenv("COUNTERSIGN_FAILOVER_MISSING"); why != "" {
		if os.Getenv("COUNTERSIGN_REQUIRE_FAILOVER") == "1" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	c := &cluster{t: t, bin: filepath.Dir(servers[len(servers)-1])}
	dir, err := os.MkdirTemp("/tmp", "countersign-failover-") // PostgreSQL runs as another user
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // #nosec G302 -- as above
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	command(t, "sh", "-c", "ip link add hub type bridge && ip addr add "+hub+"/24 dev hub && ip link set hub up")
	t.Cleanup(func() { command(t, "ip", "link", "del", "hub") })
	programs.Run(t, dir, []string{"ETCD_UNSUPPORTED_ARCH=arm64"}, "etcd", "--data-dir", dir+"/etcd",
		"--listen-client-urls", "http://"+hub+":2379", "--advertise-client-urls", "http://"+hub+":2379",
		"--listen-peer-urls", "http://127.0.0.1:2380", "--initial-advertise-peer-urls", "http://127.0.0.1:2380",
		"--initial-cluster", "default=http://127.0.0.1:2380")
	for i, name := range []string{"a", "b"} {
		n := &node{name, fmt.Sprint("10.98.0.1", i+1), filepath.Join(dir, name), c}
		c.nodes = append(c.nodes, n)
		command(t, "sh", "-ec", fmt.Sprintf(`ip netns add %[1]s; ip link add v%[1]s type veth peer name eth0 netns %[1]s
			ip link set v%[1]s master hub up; ip -n %[1]s addr add %[2]s/24 dev eth0; ip -n %[1]s link set eth0 up; ip -n %[1]s link set lo up
			mkdir -p %[3]s; mount -t tmpfs -o size=4g tmpfs %[3]s; chown postgres: %[3]s`, name, n.ip, n.dir))
		t.Cleanup(func() {
			n.kill()
			command(t, "sh", "-c", fmt.Sprintf("ip link del v%[1]s; ip netns del %[1]s; umount -l %[2]s", name, n.dir))
		})
		write(t, n.dir+"/patroni.yaml", strings.ReplaceAll(fmt.Sprintf(`{scope: countersign, name: %[1]s, log: {level: INFO},
			restapi: {listen: "%[2]s:8008", connect_address: "%[2]s:8008"}, etcd3: {hosts: "%[4]s:2379"},
			bootstrap: {dcs: {ttl: 20, loop_wait: 2, retry_timeout: 3, primary_start_timeout: 0, maximum_lag_on_failover: 268435456, synchronous_mode: %[6]t,
				postgresql: {use_pg_rewind: true, parameters: {wal_log_hints: "on", max_connections: 200, shared_buffers: 64MB, max_wal_size: 96MB, min_wal_size: 32MB}}},
				initdb: [{encoding: UTF8}, {locale: C}],
				pg_hba: ["local all all trust", "host all all 10.98.0.0/24 trust", "host replication all 10.98.0.0/24 trust"]},
			postgresql: {listen: "%[2]s:5432", connect_address: "%[2]s:5432", data_dir: "%[3]s/data", bin_dir: "%[5]s", pgpass: "%[3]s/pgpass",
				basebackup: [{checkpoint: fast}], remove_data_directory_on_rewind_failure: true, remove_data_directory_on_diverged_timelines: true,
				authentication: {superuser: {username: postgres}, replication: {username: replicator}},
				parameters: {unix_socket_directories: "%[3]s"}}}`, name, n.ip, n.dir, hub, c.bin, synchronous), "\t", ""))
		command(t, "chmod", "644", n.dir+"/patroni.yaml")
		n.start()
		if i == 0 { // it becomes the leader
			within(t, time.Minute, func() bool { return c.leads(n) }, func() string { return fmt.Sprintf("no leader: %+v", c.members()) })
		}
	}
	c.whole(synchronous)
	return c
}

// run starts a program as the user postgres in the namespace of the node.
func (n *node) run(program string, args ...string) *programs.Process {
	process := programs.Run(n.cluster.t, n.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + n.dir}, "ip", append([]string{"netns", "exec", n.name,
		"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program}, args...)...)
	n.cluster.t.Cleanup(func() {
		n.kill() // PostgreSQL holds the pipe of Patroni, for whose end programs.Run waits
		if log := process.Log.String(); n.cluster.t.Failed() {
			n.cluster.t.Logf("the end of the log of %s at %s:\n%s", program, n.name, log[max(0, len(log)-3000):])
		}
	})
	return process
}

// start starts Patroni, which starts PostgreSQL.
func (n *node) start() { n.run("patroni", n.dir+"/patroni.yaml") }

// kill sends SIGKILL to all processes of the node until there are none.
func (n *node) kill() {
	for {
		out, err := exec.Command("ip", "netns", "pids", n.name).Output()
		pids := strings.Fields(string(out))
		if _, gone := os.Stat("/run/netns/" + n.name); gone != nil || err == nil && len(pids) == 0 {
			return
		}
		_ = exec.Command("kill", append([]string{"-9"}, pids...)...).Run()
		time.Sleep(20 * time.Millisecond)
	}
}

// link connects the node to the network (up), or disconnects it (down).
func (n *node) link(state string) { command(n.cluster.t, "ip", "link", "set", "v"+n.name, state) }

// member is a node in Patroni's view.
type member struct {
	Name, Role, State string
	Timeline          int
	Lag               any
}

// members returns the view of the first node that answers.
func (c *cluster) members() (all []member) {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, n := range c.nodes {
		response, err := client.Get("http://" + n.ip + ":8008/cluster")
		if err != nil {
			continue
		}
		var view struct{ Members []member }
		err = json.NewDecoder(response.Body).Decode(&view)
		_ = response.Body.Close()
		if err == nil {
			return view.Members
		}
	}
	return nil
}

// whole waits until a leader and a standby replicate on one timeline, and returns the leader and the other node.
func (c *cluster) whole(synchronous bool) (leader, standby *node) {
	c.t.Helper()
	var seen []member
	begin := time.Now()
	within(c.t, 6*time.Minute, func() bool {
		if leader != nil && standby == nil && time.Since(begin) > 30*time.Second {
			begin = time.Now()
			for _, n := range c.nodes {
				if n != leader {
					c.t.Logf("the standby %s does not return by itself and is made again", n.name)
					n.kill()
					_ = os.RemoveAll(n.dir + "/data")
					n.start()
				}
			}
		}
		leader, standby = nil, nil
		seen = c.members()
		timelines := map[int]bool{}
		for _, m := range seen {
			timelines[m.Timeline] = true
			n := c.nodes[strings.Index("ab", m.Name)]
			switch {
			case m.Role == "leader" && m.State == "running":
				leader = n
			case (m.Role == "sync_standby" || m.Role == "replica" && !synchronous) && (m.State == "running" || m.State == "streaming"):
				standby = n
			}
		}
		return leader != nil && standby != nil && len(timelines) == 1
	}, func() string { return fmt.Sprintf("the cluster is not whole: %+v", seen) })
	return leader, standby
}

// within polls until met.
func within(t *testing.T, limit time.Duration, met func() bool, state func() string) {
	t.Helper()
	for end := time.Now().Add(limit); !met(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", limit, state())
		}
	}
}

// url returns the URL of a database with all hosts, the node first at first.
func (c *cluster) url(database string, first *node) string {
	hosts := []string{first.ip + ":5432"}
	for _, n := range c.nodes {
		if n != first {
			hosts = append(hosts, n.ip+":5432")
		}
	}
	return "postgres://postgres@" + strings.Join(hosts, ",") + "/" + database + "?sslmode=disable&target_session_attrs=read-write"
}

// query returns the single value of a query at a node, or at the primary.
func (c *cluster) query(database string, n *node, statement string) (text string) {
	c.t.Helper()
	url := c.url(database, c.nodes[0])
	if n != nil {
		url = "postgres://postgres@" + n.ip + ":5432/" + database + "?sslmode=disable"
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, statement).Scan(&text); err != nil && !errors.Is(err, pgx.ErrNoRows) {
		c.t.Fatalf("%s: %v", statement, err)
	}
	return text
}

// ledger holds the writes of callers that retry until a write is accepted, with the keys of intents.
type ledger struct {
	t    *testing.T
	stop chan struct{}
	done sync.WaitGroup

	mu       sync.Mutex
	created  map[string]int // requests by id
	approved map[string]bool
	clients  map[string]int
	accepted []time.Time
	refused  map[string]int // by answer
	unsolved []string
}

// writes starts callers of two replicas of wf and of a registrar.
func writes(t *testing.T, approvals *service, wfs []*replica, registrations *service, registrars []*replica) *ledger {
	l := &ledger{t: t, stop: make(chan struct{}), created: map[string]int{}, approved: map[string]bool{},
		clients: map[string]int{}, refused: map[string]int{}}
	for i := range 4 {
		root, ana := approvals.callerAs(wfs[i%len(wfs)].url, "root"), approvals.callerAs(wfs[i%len(wfs)].url, "ana")
		l.loop(func(n int) {
			a, ok := l.until(root, "POST", requests, `{"policy_key":"spend"}`, fmt.Sprint("intent-", i, "-", n), 201)
			if !ok {
				return
			}
			r := a.request(t)
			l.note(func() { l.created[r.ID]++ })
			if _, ok = l.until(ana, "POST", "/v1/wf/tasks/"+r.Tasks[0].ID+"/decision", `{"action":"approve"}`, "", 200); ok {
				l.note(func() { l.approved[r.ID] = true })
			}
		})
	}
	for i := range 2 {
		if len(registrars) == 0 {
			break
		}
		c := registrations.callerAs(registrars[i%len(registrars)].url, "root")
		l.loop(func(int) {
			_, _, body, _ := registers()
			a, ok := l.until(c, "POST", clients, body, "", 200)
			if !ok {
				return
			}
			var envelope struct {
				Response struct{ ClientID string }
			}
			if err := json.Unmarshal(a.body, &envelope); err == nil && envelope.Response.ClientID != "" {
				l.note(func() { l.clients[envelope.Response.ClientID]++ })
			}
		})
	}
	return l
}

func (l *ledger) note(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, time.Now())
	fn()
}

func (l *ledger) loop(fn func(n int)) {
	l.done.Go(func() {
		tick := time.NewTicker(40 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-l.stop:
				return
			case <-tick.C:
				fn(n)
			}
		}
	})
}

// until repeats a call until it has the status of success, or a refusal that proves that an earlier attempt was.
func (l *ledger) until(c *caller, method, path, body, key string, status int) (answer, bool) {
	for begin := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		request, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
		if err != nil {
			panic(err) // no valid URL
		}
		request.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"}}
		if key != "" {
			request.Header.Set("Idempotency-Key", key)
		}
		a, err := c.do(request)
		switch {
		case err == nil && a.status == status && a.code == "":
			return a, true
		case err == nil && a.status == 409 && a.code == "WF-007" && key == "": // decided by an attempt without an answer
			return a, true
		case err == nil && slices.Contains([]string{"PMS_IDP_001", "duplicate_client_id"}, a.code): // registered by one
			return a, true
		}
		text := fmt.Sprintf("%s %d %s %s", method, a.status, a.code, a.message)
		if err != nil {
			text = method + " connection failed"
		}
		l.mu.Lock()
		l.refused[text]++
		if late := time.Since(begin) > 2*time.Minute; late || err == nil && a.status != 503 && a.status != 409 {
			l.unsolved = append(l.unsolved, fmt.Sprintf("%s %s: %d %s", method, path, a.status, a.body))
			l.mu.Unlock()
			return a, false
		}
		l.mu.Unlock()
	}
}

// silence returns the longest time without an accepted write from a time on, which has to be over.
func (l *ledger) silence(from time.Time) (longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := from
	for _, at := range l.accepted {
		if at.After(from) {
			longest = max(longest, at.Sub(last))
			last = at
		}
	}
	return longest
}

// writesAgain waits until a number of writes were accepted after a time.
func (l *ledger) writesAgain(after time.Time, count int) {
	l.t.Helper()
	within(l.t, 2*time.Minute, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		n := 0
		for _, at := range l.accepted {
			if at.After(after) {
				n++
			}
		}
		return n >= count
	}, func() string { return fmt.Sprintf("no writes again: %v", l.refused) })
}

// ends stops the callers.
func (l *ledger) ends() {
	close(l.stop)
	l.done.Wait()
}

// answers returns the refusals that callers saw, as text.
func (l *ledger) answers() (text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(l.refused)) {
		text += fmt.Sprintf("\n%6d %s", l.refused[what], what)
	}
	return text
}

// lost returns the ids of a map that a query does not return.
func lost[V any](t *testing.T, url, query string, ids map[string]V) (gone []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, id := range found {
		there[id] = true
	}
	for id := range ids {
		if !there[id] {
			gone = append(gone, id)
		}
	}
	return gone
}

// invariants are queries of wf that return a row only after a defect.
var invariants = map[string]string{
	"a final request with an open task":   `SELECT r.id::text FROM request r JOIN task t ON t.request_id = r.id WHERE r.status IN ('approved','rejected','cancelled','expired') AND t.status IN ('open','claimed') LIMIT 1`,
	"a completed task without a decision": `SELECT id::text FROM task WHERE (status = 'completed') <> (action <> '') LIMIT 1`,
	"a hole in the events of a request":   `SELECT chain FROM event GROUP BY chain HAVING count(*) <> max(seq) OR min(seq) <> 1 LIMIT 1`,
	"a request with another than a task":  `SELECT request_id::text FROM task GROUP BY request_id HAVING count(*) <> 1 LIMIT 1`,
}

// replicas starts the services on the cluster: two replicas of wf, and one of the registrar.
func (c *cluster) replicas(variables ...string) (approvals *service, wfs []*replica, registrations *service, registrars []*replica) {
	c.t.Helper()
	leader, _ := c.nodes[0], c.nodes[1]
	for _, name := range []string{"wf", "registrar"} {
		execute(c.t, c.url("postgres", leader), "CREATE DATABASE "+name)
		for _, n := range c.nodes { // pgx stops at a standby that lacks the database
			within(c.t, time.Minute, func() bool {
				return c.query("postgres", n, "SELECT count(*)::text FROM pg_database WHERE datname = '"+name+"'") == "1"
			}, func() string { return n.name + " has no database " + name })
		}
	}
	common := append([]string{"DRAIN_DELAY=0s"}, variables...)
	approvals = wf(c.t, c.url("wf", c.nodes[0]), common...)
	registrations = registrar(c.t, c.url("registrar", c.nodes[0]), common...)
	wfs = []*replica{approvals.begin(""), approvals.begin("")}
	registrars = []*replica{registrations.begin("")}
	approvals.caller(wfs[0].url).policy(c.t)
	return approvals, wfs, registrations, registrars
}

// failovers is the number of failovers, of all faults in turn.
func failovers(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("FAILOVERS"))
	if err != nil {
		n = 20
	}
	return n
}

func TestFailoversWithASynchronousStandbyLoseNoWrite(t *testing.T) {
	c := newCluster(t, true)
	approvals, wfs, registrations, registrars := c.replicas()
	l := writes(t, approvals, wfs, registrations, registrars)
	faults := []struct {
		name       string
		fail, heal func(leader, standby *node)
	}{
		{"switchover", func(leader, standby *node) {
			body := fmt.Sprintf(`{"leader":%q,"candidate":%q}`, leader.name, standby.name)
			response, err := http.Post("http://"+leader.ip+":8008/switchover", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != 200 {
				t.Fatalf("switchover: %d %s", response.StatusCode, text)
			}
		}, func(_, _ *node) {}},
		{"kill -9 of PostgreSQL", func(leader, _ *node) {
			command(t, "sh", "-c", "kill -9 $(head -1 "+leader.dir+
				"/data/postmaster.pid)")
		}, func(_, _ *node) {}},
		{"kill -9 of the node", func(leader, _ *node) { leader.kill() }, func(leader, _ *node) { leader.start() }},
		{"partition", func(leader, _ *node) { leader.link("down") }, func(leader, _ *node) { leader.link("up") }},
		{"disk full", func(leader, _ *node) {
			command(t, "sh", "-c", "dd if=/dev/zero bs=1M of="+leader.dir+"/ballast; true") // until the disk is full
		}, func(leader, _ *node) {
			_ = os.Remove(leader.dir + "/ballast")
			leader.kill() // Patroni can lose its server on a full disk
			leader.start()
		}},
	}
	outages := map[string][]time.Duration{}
	for i := range failovers(t) {
		fault := faults[i%len(faults)]
		leader, standby := c.whole(true)
		l.writesAgain(time.Now(), 20)
		begin := time.Now()
		fault.fail(leader, standby)
		stopped := false
		within(t, 2*time.Minute, func() bool {
			// Patroni keeps a primary that starts again and again, as on a full disk.
			if !stopped && time.Since(begin) > time.Minute {
				t.Logf("%2d %s: no failover for a minute; the operator stops the node", i+1, fault.name)
				stopped = true
				leader.kill()
			}
			return c.leads(standby)
		}, func() string { return fmt.Sprintf("%s: no failover: %+v", fault.name, c.members()) })
		promoted := time.Now()
		l.writesAgain(promoted, 20)
		outage := l.silence(begin)
		outages[fault.name] = append(outages[fault.name], outage)
		t.Logf("%2d %-21s no accepted write for %s", i+1, fault.name, outage.Round(100*time.Millisecond))
		fault.heal(leader, standby)
	}
	c.whole(true)
	l.writesAgain(time.Now(), 20)
	l.ends()
	for _, text := range l.unsolved {
		t.Errorf("no success: %s", text)
	}
	l.complete(c)
	auditor := approvals.caller(wfs[0].url)
	auditor.client.Timeout = 10 * time.Minute // the verification reads the events of every request
	audit := auditor.must(t, "GET", "/v1/wf/admin/audit?verify=true&limit=1", "", 200)
	if !bytes.Contains(audit.body, []byte(`"valid":true`)) {
		t.Errorf("the audit trail: %s", audit.body)
	}
	all := slices.Concat(slices.Collect(maps.Values(outages))...)
	for name, list := range outages {
		slices.Sort(list)
		t.Logf("%-21s %d failovers, no accepted write for: median %s, worst %s", name, len(list),
			list[len(list)/2].Round(100*time.Millisecond), list[len(list)-1].Round(100*time.Millisecond))
	}
	t.Logf("%d failovers, %d requests, %d decisions and %d registrations accepted. Callers saw:%s", len(all),
		len(l.created), len(l.approved), len(l.clients), l.answers())
}

// complete fails the test for accepted writes that are lost or doubled.
func (l *ledger) complete(c *cluster) {
	t := l.t
	t.Helper()
	if len(l.created) < 100 || len(l.approved) < 100 || len(l.clients) < 20 {
		t.Errorf("only %d requests, %d decisions and %d registrations", len(l.created), len(l.approved), len(l.clients))
	}
	for what, gone := range map[string][]string{
		"requests":      lost(t, c.url("wf", c.nodes[0]), "SELECT id::text FROM request", l.created),
		"decisions":     lost(t, c.url("wf", c.nodes[0]), "SELECT request_id::text FROM task WHERE action <> ''", l.approved),
		"registrations": lost(t, c.url("registrar", c.nodes[0]), "SELECT id FROM client", l.clients),
	} {
		if len(gone) > 0 {
			t.Errorf("%d accepted %s are lost, such as %s", len(gone), what, gone[0])
		}
	}
	for _, counts := range []map[string]int{l.created, l.clients} {
		for id, n := range counts {
			if n > 1 {
				t.Errorf("%s was accepted %d times", id, n)
			}
		}
	}
	if got := c.query("wf", nil, "SELECT count(*)::text FROM request"); got != fmt.Sprint(len(l.created)) {
		t.Errorf("%s requests of %d intents", got, len(l.created))
	}
	for what, query := range invariants {
		if row := c.query("wf", nil, query); row != "" {
			t.Errorf("%s: %s", what, row)
		}
	}
}

// leads reports whether a node is the leader.
func (c *cluster) leads(n *node) bool {
	return slices.ContainsFunc(c.members(), func(m member) bool { return m.Role == "leader" && m.Name == n.name && m.State == "running" })
}
