package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/policyfile"
	"github.com/countersign/countersign/services/wf/policy"
)

// Authors lists the commands on policies as files.
type Authors struct {
	Policy struct {
		Check  checkPolicies  `cmd:"" help:"Check files without the service. Exits 2 if there are problems, and 1 if a file is not readable."`
		Test   testPolicies   `cmd:"" help:"Run the tests of policies without the service. Exits 2 if a test fails, and 1 on an error."`
		Plan   planPolicies   `cmd:"" help:"Print the changes that apply would make. Exits 2 if there are any, and 1 on an error."`
		Apply  applyPolicies  `cmd:"" help:"Create policies and versions that differ from the files."`
		Export exportPolicies `cmd:"" help:"Write the active versions, else the latest, to files."`
	} `cmd:"" group:"For policy authors:" envprefix:"WF_" help:"Check, test, apply and export policies as files."`
}

// Suffixes of the files in a folder.
var (
	policySuffixes = []string{".policy.yaml", ".policy.json"}
	testSuffixes   = []string{".policy.test.yaml"}
)

// filesBelow returns the named files, and those with the suffixes in the named folders, in order.
func filesBelow(names, suffixes []string) ([]string, error) {
	var files []string
	for _, name := range names {
		count := len(files)
		err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch named := path == name; {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && !named:
				return fs.SkipDir
			case entry.IsDir():
			case named || slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == count {
			return nil, fmt.Errorf("%s contains no file *%s", name, strings.Join(suffixes, " or *"))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// files has the arguments of commands that read policies.
type files struct {
	Files []string `arg:"" name:"file" help:"Policy files, or folders: all *.policy.yaml and *.policy.json below them."`
}

// filePolicy is a policy with the name of its file.
type filePolicy struct {
	policyfile.Policy
	file string
}

// read reads the policies and prints the problems of each file. It returns those without problems. bad reports
// whether there are problems.
func (f files) read(out io.Writer, warn bool) (policies []filePolicy, bad bool, err error) {
	names, err := filesBelow(f.Files, policySuffixes)
	if err != nil {
		return nil, false, err
	}
	reader, err := policyfile.NewReader()
	if err != nil {
		return nil, false, err
	}
	keys := map[string]string{}
	for _, name := range names {
		content, err := readInput(name)
		if err != nil {
			return nil, false, err
		}
		p, problems := reader.ReadPolicy(name, content)
		if first := keys[p.Key]; p.Key != "" && first != "" {
			problems = append(problems, policyfile.Problem{
				Line: p.Line("/policy_key"), Pointer: "/policy_key", Message: first + " has the same key",
			})
		}
		keys[p.Key] = name
		if warn {
			for _, w := range p.Warnings {
				w.Message = "warning: " + w.Message
				printProblem(out, name, w)
			}
		}
		for _, problem := range problems {
			printProblem(out, name, problem)
		}
		if bad = bad || len(problems) > 0; len(problems) == 0 {
			policies = append(policies, filePolicy{p, name})
		}
	}
	return policies, bad, nil
}

func printProblem(out io.Writer, file string, p policyfile.Problem) {
	fmt.Fprintf(out, "%s:%s\n", file, sanitize(p.String()))
}

type checkPolicies struct{ files }

// Run prints every problem of the files.
func (c *checkPolicies) Run(w *daemon.Process) error {
	_, bad, err := c.read(w.Out, true)
	if err == nil && bad {
		err = daemon.ExitStatus(exitFound)
	}
	return err
}

type testPolicies struct {
	Files []string `arg:"" name:"file" help:"Files with tests, or folders: all *.policy.test.yaml below them."`
}

// Run prints the failed tests, and the numbers of tests.
func (c *testPolicies) Run(w *daemon.Process) error {
	names, err := filesBelow(c.Files, testSuffixes)
	if err != nil {
		return err
	}
	reader, err := policyfile.NewReader()
	if err != nil {
		return err
	}
	passed, failed := 0, 0
	for _, name := range names {
		results, err := runTests(w.Context, w.Out, reader, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, r := range results {
			if len(r.Problems) == 0 {
				passed++
				continue
			}
			failed++
			for _, p := range r.Problems {
				p.Message = strconv.Quote(r.Name) + ": " + p.Message
				printProblem(w.Out, name, p)
			}
		}
	}
	if _, err := fmt.Fprintf(w.Out, "%d passed, %d failed\n", passed, failed); err != nil {
		return err
	}
	if failed > 0 {
		return daemon.ExitStatus(exitFound)
	}
	return nil
}

// runTests runs the tests of a file. Problems of the file or its policy are a failed test.
func runTests(ctx context.Context, out io.Writer, reader *policyfile.Reader, name string) ([]policyfile.Result, error) {
	content, err := readInput(name)
	if err != nil {
		return nil, err
	}
	tests, problems := reader.ReadTests(name, content)
	if len(problems) > 0 {
		return []policyfile.Result{{Name: "the file", Problems: problems}}, nil
	}
	file := filepath.Join(filepath.Dir(name), filepath.FromSlash(tests.Policy))
	if content, err = readInput(file); err != nil {
		return nil, err
	}
	p, problems := reader.ReadPolicy(file, content)
	for _, problem := range problems {
		printProblem(out, file, problem)
	}
	if len(problems) > 0 {
		at := policyfile.Problem{Line: tests.Line("/policy"), Pointer: "/policy", Message: "the policy has problems"}
		return []policyfile.Result{{Name: "the policy", Problems: []policyfile.Problem{at}}}, nil
	}
	return reader.Run(ctx, tests, p)
}

// storedVersion holds the members of a version that the commands read.
type storedVersion struct {
	PolicyKey string `json:"policy_key"`
	policy.Definition
	Version     int
	Status      policy.VersionStatus
	ContentHash string `json:"content_hash"`
}

// storedPolicy is the state of a policy in the service.
type storedPolicy struct {
	current *storedVersion // active, else latest; nil for an unknown key
	newest  *storedVersion
}

const policiesPath = "/v1/wf/policies"

func policyPath(key string) string { return policiesPath + "/" + url.PathEscape(key) }

// policy reads the state of a policy.
func (c *client) policy(ctx context.Context, key string) (storedPolicy, error) {
	var current storedVersion
	err := c.get(ctx, policyPath(key), &current)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.status == http.StatusNotFound {
		return storedPolicy{}, nil
	}
	if err != nil {
		return storedPolicy{}, err
	}
	var page struct{ Items []storedVersion }
	if err := c.get(ctx, policyPath(key)+"/versions?limit=1", &page); err != nil {
		return storedPolicy{}, err
	}
	if len(page.Items) == 0 { // every version was deleted
		return storedPolicy{current: &current, newest: &current}, nil
	}
	return storedPolicy{&current, &page.Items[0]}, nil
}

// change is the difference between a file and the service.
type change string

// The changes that apply makes. An unchanged policy is active, and activate needs --activate.
const (
	changeCreate   change = "create"
	changeVersion  change = "new version"
	changeActivate change = "activate"
	changeNone     change = "unchanged"
)

// change returns the difference of a definition from the state in the service.
func (s storedPolicy) change(d policy.Definition) (change, error) {
	if s.current == nil {
		return changeCreate, nil
	}
	equal, err := s.current.EqualExceptNote(d)
	if err != nil || equal && s.current.Status == policy.VersionActive {
		return changeNone, err
	}
	if equal, err = s.newest.EqualExceptNote(d); err != nil || equal {
		return changeActivate, err
	}
	return changeVersion, nil
}

type planPolicies struct {
	Settings
	files
}

// Run prints the change of each file, and the policies of the service without a file.
func (c *planPolicies) Run(w *daemon.Process) error {
	policies, bad, err := c.read(w.Out, false)
	if err != nil {
		return err
	}
	if bad {
		return errors.New("the files have problems")
	}
	api, err := c.client()
	if err != nil {
		return err
	}
	changes := 0
	for _, p := range policies {
		stored, err := api.policy(w.Context, p.Key)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
		kind, err := stored.change(p.Definition)
		if err != nil {
			return err
		}
		if kind != changeNone {
			changes++
		}
		fmt.Fprintf(w.Out, "%-12s %s (%s)\n", kind, p.Key, p.file)
		if kind == changeVersion {
			printDifference(w.Out, p.Definition.CompareWith(stored.current.Definition))
		}
	}
	if err := c.printOthers(w, api, policies); err != nil {
		return err
	}
	if changes > 0 {
		return daemon.ExitStatus(exitFound)
	}
	return nil
}

// printOthers prints the policies of the service without a file. A caller that may not list policies receives none.
func (c *planPolicies) printOthers(w *daemon.Process, api *client, policies []filePolicy) error {
	keys, err := api.policyKeys(w.Context)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.status == http.StatusForbidden {
		_, err := fmt.Fprintln(w.Logs, "Policies without a file are not listed: the caller may not list policies.")
		return err
	}
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.ContainsFunc(policies, func(p filePolicy) bool { return p.Key == key }) {
			fmt.Fprintf(w.Out, "not in the files: %s\n", key)
		}
	}
	return nil
}

// printDifference prints the changed stages, settings and other members.
func printDifference(out io.Writer, r policy.Replacement) {
	for _, s := range r.Stages {
		var parts []string
		if len(s.Members) > 0 {
			parts = append(parts, "members "+strings.Join(s.Members, ", "))
		}
		for _, r := range s.Added {
			parts = append(parts, "+ "+sanitize(r.String()))
		}
		for _, r := range s.Gone {
			parts = append(parts, "- "+sanitize(r.String()))
		}
		fmt.Fprintf(out, "  stage %s %s: %s\n", s.Key(), s.Kind(), strings.Join(parts, "; "))
	}
	for _, list := range []struct {
		name    string
		members []string
	}{{"settings", r.Settings}, {"members", r.Members}} {
		if len(list.members) > 0 {
			fmt.Fprintf(out, "  %s: %s\n", list.name, strings.Join(list.members, ", "))
		}
	}
}

// policyKeys returns the keys of all policies.
func (c *client) policyKeys(ctx context.Context) (keys []string, err error) {
	query := url.Values{"limit": {"200"}}
	for {
		var page struct {
			Items []struct {
				PolicyKey string `json:"policy_key"`
			}
			NextCursor *string `json:"next_cursor"`
		}
		if err := c.get(ctx, policiesPath+"?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			keys = append(keys, item.PolicyKey)
		}
		if page.NextCursor == nil {
			return keys, nil
		}
		query.Set("cursor", *page.NextCursor)
	}
}

type applyPolicies struct {
	Settings
	files
	Activate bool   `help:"Activate the versions that equal the files."`
	Note     string `help:"change_note of new versions, instead of that of the file."`
}

// Run applies each file. A refused file does not stop the others.
func (c *applyPolicies) Run(w *daemon.Process) error {
	policies, bad, err := c.read(w.Out, false)
	if err != nil {
		return err
	}
	api, err := c.client()
	if err != nil {
		return err
	}
	for _, p := range policies {
		done, err := c.apply(w.Context, api, p)
		if refused, ok := errors.AsType[*refusal](err); ok {
			bad = true
			done = "refused: " + strings.ReplaceAll(refused.Error(), "\n", "\n  ")
		} else if err != nil {
			return fmt.Errorf("%s: %w", p.Key, err)
		}
		fmt.Fprintf(w.Out, "%s: %s (%s)\n", p.Key, done, p.file)
	}
	if bad {
		return errors.New("not every file was applied")
	}
	return nil
}

// apply creates the policy or a version if the file differs from the service, and activates it if that is wanted.
func (c *applyPolicies) apply(ctx context.Context, api *client, p filePolicy) (done string, err error) {
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal(p.JSON, &body); err != nil {
		return "", err
	}
	if c.Note != "" {
		if body["change_note"], err = json.Marshal(c.Note); err != nil {
			return "", err
		}
	}
	stored, err := api.policy(ctx, p.Key)
	if err != nil {
		return "", err
	}
	kind, err := stored.change(p.Definition)
	if err != nil || kind == changeNone {
		return string(kind), err
	}
	var v storedVersion
	if kind == changeCreate {
		err = api.write(ctx, http.MethodPost, policiesPath, body, &v)
	} else {
		err = api.write(ctx, http.MethodPut, policyPath(p.Key)+"?unless_unchanged=true", body, &v)
	}
	if err != nil {
		return "", err
	}
	done = fmt.Sprintf("version %d is unchanged", v.Version)
	if stored.newest == nil || v.Version > stored.newest.Version {
		done = fmt.Sprintf("version %d created", v.Version)
	}
	if !c.Activate {
		return done, nil
	}
	path := policyPath(p.Key) + "/versions/" + strconv.Itoa(v.Version) + "/activate"
	return done + ", active", api.write(ctx, http.MethodPost, path, map[string]string{"content_hash": v.ContentHash}, &v)
}

const (
	writeRetries = 60
	writePause   = time.Second
)

// write is send for a change of a policy. It waits for the rate limit of such changes.
func (c *client) write(ctx context.Context, method, path string, body, into any) error {
	for retries := 0; ; retries++ {
		raw, err := c.send(ctx, method, path, body)
		if err == nil {
			return json.Unmarshal(raw, into)
		}
		refused, ok := errors.AsType[*refusal](err)
		if !ok || refused.status != http.StatusTooManyRequests || retries == writeRetries || !daemon.Sleep(ctx, writePause) {
			return err
		}
	}
}

type exportPolicies struct {
	Settings
	Keys []string `arg:"" optional:"" name:"key" help:"Keys of policies; all of them without any."`
	Dir  string   `required:"" help:"Folder of the files KEY.policy.yaml. A file with an equal policy stays as it is, with its comments."`
}

// Run writes a file for each policy.
func (c *exportPolicies) Run(w *daemon.Process) error {
	api, err := c.client()
	if err != nil {
		return err
	}
	keys := c.Keys
	if len(keys) == 0 {
		if keys, err = api.policyKeys(w.Context); err != nil {
			return err
		}
	}
	reader, err := policyfile.NewReader()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o750); err != nil {
		return err
	}
	for _, key := range keys {
		var v storedVersion
		if err := api.get(w.Context, policyPath(key), &v); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if !policy.ValidPolicyKey(v.PolicyKey) { // it is the name of the file
			return fmt.Errorf("%q is not a policy key", v.PolicyKey)
		}
		done, err := writePolicy(reader, filepath.Join(c.Dir, v.PolicyKey+policySuffixes[0]), v)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		fmt.Fprintf(w.Out, "%s: version %d %s\n", v.PolicyKey, v.Version, done)
	}
	return nil
}

// writePolicy writes a version to a file, unless its policy is equal.
func writePolicy(reader *policyfile.Reader, name string, v storedVersion) (done string, err error) {
	text, err := policyfile.Export(v.PolicyKey, v.Definition)
	if err != nil {
		return "", err
	}
	if content, err := os.ReadFile(name); err == nil { // #nosec G304 -- in the folder that the user names
		p, problems := reader.ReadPolicy(name, content)
		if equal, err := p.Definition.EqualExceptNote(v.Definition); err == nil && equal && len(problems) == 0 && p.Key == v.PolicyKey {
			return "unchanged", nil
		}
	}
	return "written", os.WriteFile(name, text, 0o600)
}
