package chart_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

var pictures = flag.String("pictures", "", "folder to write the pictures of this test to")

// finance is a policy with each kind of rule.
var finance = policy.Definition{
	Name: "Disbursement batch approval",
	Stages: []policy.Stage{
		{Key: "checks", Name: "Finance and programme", Approvers: []policy.Rule{
			{Type: policy.RuleRole, Role: "finance-officer", MinApprovals: 1}, {Type: policy.RuleGroup, Path: "/programme/officers", Required: true},
		}, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}},
		{Key: "legal", Name: "Legal review", ParallelGroup: "reviews", When: `context.kind in ["contract", "grant"]`, Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"lea", "luc"}}}, Quorum: quorum.Quorum{Mode: quorum.QuorumAny}},
		{Key: "it", Name: "Security review", ParallelGroup: "reviews", Assignment: policy.AssignmentPool, Approvers: []policy.Rule{{Type: policy.RuleHTTP, URL: "https://oncall.example.org/approvers"}}, Quorum: quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 50}},
		{Key: "director", Name: "Director", When: "context.amount > 50000.0", Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"dora"}, Label: "the director on duty"}}},
	},
}

func user(id, name string) identity.User { return identity.User{ID: id, Name: name} }

// batch is a request under finance: the first stage is over, the reviews run.
func batch() wf.Request {
	ana, bo, luc := user("ana", "Ana Bélic"), user("bo", "Bo Chen"), user("luc", "Luc Martin")
	decided := func(u identity.User, a wf.Action) *wf.Decision {
		return &wf.Decision{Action: a, Actor: identity.ActorRef{Kind: identity.ActorUser, ID: u.ID}}
	}
	return wf.Request{
		ID: "r1", Title: "Batch 17 for Lomé", Status: wf.RequestInReview, Requester: user("rita", "Rita Diallo"),
		Stages: []wf.StageRun{
			{Key: "checks", Name: "Finance and programme", Run: 1, Status: wf.StageApproved, Count: quorum.Count{Need: 2, Approvals: 2}, People: []approver.Approver{{User: ana}, {User: bo}}},
			{Key: "legal", Name: "Legal review", Run: 1, Status: wf.StageSkipped, ParallelGroup: "reviews", Skip: &wf.Skip{Reason: "when_false"}},
			{Key: "it", Name: "Security review", Run: 1, Status: wf.StageActive, ParallelGroup: "reviews", Count: quorum.Count{Need: 2, Approvals: 1}, People: []approver.Approver{{User: luc}}},
			{Key: "director", Name: "Director", Run: 1, Status: wf.StagePending},
		},
		Tasks: []wf.Task{
			{StageKey: "checks", StageRun: 1, Status: wf.TaskCompleted, Assignee: &ana, Decision: decided(ana, wf.ActionApprove)},
			{StageKey: "checks", StageRun: 1, Status: wf.TaskCompleted, Assignee: &bo, OnBehalfOf: &luc, Decision: &wf.Decision{Action: wf.ActionApprove, Actor: identity.ActorRef{ID: "bo"}, OnBehalfOf: &luc}},
			{StageKey: "it", StageRun: 1, Status: wf.TaskCompleted, Assignee: &ana, Decision: decided(ana, wf.ActionApprove)},
			{StageKey: "it", StageRun: 1, Status: wf.TaskClaimed, Assignee: &luc},
		},
	}
}

// hostile is text that is interpreted unless it is escaped.
const hostile = "</text><script>alert(1)</script> \"quoted\" & `md` ;#quot; %%{init}%% \x00\x1b\u202e ]) --> x"

func hostilePolicy() policy.Definition {
	d := finance
	d.Name = hostile
	d.Stages = slices.Clone(d.Stages)
	for i := range d.Stages {
		d.Stages[i].Name, d.Stages[i].When = hostile, hostile
		d.Stages[i].Approvers = []policy.Rule{{Type: policy.RuleRole, Role: hostile, Label: hostile}, {Type: policy.RuleUser, IDs: []string{hostile}}}
	}
	return d
}

// samples are charts of every kind, by their names.
func samples() map[string]chart.Chart {
	rejected := batch()
	rejected.Status = wf.RequestRejected
	rejected.Stages[2].Status, rejected.Stages[3].Status = wf.StageRejected, wf.StageCancelled
	rejected.Tasks[3].Decision = &wf.Decision{Action: wf.ActionReject, Actor: identity.ActorRef{ID: "luc"}}
	blocked := batch()
	blocked.Status, blocked.Stages[2].Status = wf.RequestBlocked, wf.StageBlocked
	blocked.Tasks[3] = wf.Task{StageKey: "it", StageRun: 1, Kind: wf.RescueTask, Status: wf.TaskOpen}
	crowd := batch()
	for i := range 30 {
		someone := user("p", "Person number "+string(rune('A'+i%26)))
		crowd.Tasks = append(crowd.Tasks, wf.Task{StageKey: "it", StageRun: 1, Status: wf.TaskOpen, Assignee: &someone})
	}
	wide := finance
	wide.Stages = nil
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		s := finance.Stages[1]
		s.Key, s.Name, s.ParallelGroup = key, strings.Repeat("Review ", 12)+key, "all"
		s.When = strings.Repeat("context.a_member_with_a_long_name > 1000000 && ", 10) + "true"
		wide.Stages = append(wide.Stages, s)
	}
	wide.Stages[2].Name = "審査" + strings.Repeat("非常に長い名前", 10)
	auto := wf.Request{Title: "Tea", Status: wf.RequestApproved, Requester: user("rita", "Rita Diallo")}
	return map[string]chart.Chart{
		"policy": chart.OfPolicy(3, finance, chart.English()), "request": chart.OfRequest(batch(), finance, chart.English()),
		"rejected": chart.OfRequest(rejected, finance, chart.English()), "blocked": chart.OfRequest(blocked, finance, chart.English()),
		"crowd": chart.OfRequest(crowd, finance, chart.English()), "wide": chart.OfPolicy(1, wide, chart.English()),
		"auto": chart.OfRequest(auto, finance, chart.English()), "hostile": chart.OfPolicy(1, hostilePolicy(), chart.English()),
		"empty": chart.OfPolicy(1, policy.Definition{Name: "Nothing yet"}, chart.English()),
	}
}

func TestPictures(t *testing.T) {
	for name, c := range samples() {
		narrow := c.NarrowSVG()
		if err := wellFormed(narrow); err != nil || !strings.Contains(narrow, `width="288"`) {
			t.Errorf("%s on a narrow screen: %v", name, err)
		}
		svg := c.SVG()
		if *pictures != "" {
			if err := os.WriteFile(filepath.Join(*pictures, name+".svg"), []byte(svg), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := wellFormed(svg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wellFormed refuses anything but the elements that a chart is made of.
func wellFormed(svg string) error {
	if strings.Contains(svg, "%!") {
		return errors.New("it has a format that is wrong")
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok {
			if !slices.Contains([]string{"svg", "title", "desc", "rect", "path", "text"}, start.Name.Local) {
				return errors.New("it has an element " + start.Name.Local)
			}
			for _, a := range start.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || a.Name.Local == "style" {
					return errors.New("it has an attribute " + a.Name.Local)
				}
			}
		}
	}
}

func TestAChartHasATextAlternative(t *testing.T) {
	want := "Requested by Rita Diallo. 1 Finance and programme: Approved. 2 of 2 approvals. Ana Bélic: approved. Bo Chen: approved for Luc Martin. " +
		`2a Legal review: Skipped. If context.kind in ["contract", "grant"]. ` +
		"2b Security review: In progress. 1 of 2 approvals. Ana Bélic: approved. Luc Martin: has not decided. " +
		"3 Director: Pending. Conditional. the director on duty. All approve. Approved."
	c := samples()["request"]
	if got := c.Describe(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, said := range []string{"<title id=\"chart-title\">Batch 17 for Lomé</title>", `role="img" aria-labelledby="chart-title chart-description"`} {
		if !strings.Contains(c.SVG(), said) {
			t.Errorf("the picture lacks %s", said)
		}
	}
}

// Pages pass display names of users.
func TestAChartUsesTheGivenNames(t *testing.T) {
	words := chart.English()
	words.Person = func(u identity.User) string { return "person " + u.ID }
	r := batch()
	if text := chart.OfRequest(r, finance, words).Describe(); !strings.Contains(text, "Requested by person "+r.Requester.ID) {
		t.Error(text)
	}
	if text := chart.OfPolicy(1, finance, words).Describe(); !strings.Contains(text, "person lea, person luc") {
		t.Error(text)
	}
	for i := range r.Stages {
		r.Stages[i].Status, r.Stages[i].Skip = wf.StagePending, nil
	}
	if text := chart.OfRequest(r, finance, words).Describe(); strings.Contains(text, "person lea") || strings.Contains(text, "oncall") {
		t.Error(text)
	}
}

// Readers of a request may lack access to its policy.
func TestARequestChartHidesThePolicy(t *testing.T) {
	r := batch()
	for i := range r.Stages {
		r.Stages[i].Status, r.Stages[i].Skip = wf.StagePending, nil
	}
	r.Tasks = nil
	c := chart.OfRequest(r, finance, chart.English())
	for name, text := range map[string]string{"svg": c.SVG(), "mermaid": c.Mermaid()} {
		for _, secret := range []string{"lea, luc", "context.amount", "oncall.example.org"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %s", name, secret)
			}
		}
	}
}

func TestMermaid(t *testing.T) {
	want := `flowchart TD
  accTitle: Disbursement batch approval, version 3
  accDescr: A request. 1 Finance and programme. role finance-officer (at least 1). group /programme/officers (each must approve). 2 approve. 2a Legal review. If context.kind in ["contract", "grant"]. lea, luc. One approves. 2b Security review. resolver https://oncall.example.org/approvers. 50   approve. The claimant decides. 3 Director. If context.amount   50000.0. the director on duty. All approve. Approved.
  start(["A request"])
  s1_1["<b>Finance and programme</b><br/>role finance-officer (at least 1)<br/>group /programme/officers (each must approve)<br/>2 approve"]
  start --> s1_1
  s2_1["<b>Legal review</b><br/>If context.kind in #91;#34;contract#34;, #34;grant#34;#93;<br/>lea, luc<br/>One approves"]
  s1_1 --> s2_1
  s2_2["<b>Security review</b><br/>resolver https://oncall.example.org/approvers<br/>50 % approve<br/>The claimant decides"]
  s1_1 --> s2_2
  s3_1["<b>Director</b><br/>If context.amount #62; 50000.0<br/>the director on duty<br/>All approve"]
  s2_1 --> s3_1
  s2_2 --> s3_1
  finish(["Approved"])
  s3_1 --> finish
`
	if got := samples()["policy"].Mermaid(); !strings.HasPrefix(got, want) {
		t.Errorf("got:\n%s", got)
	}
}

// mermaidLine matches every line that a chart may have.
var mermaidLine = regexp.MustCompile(`^(flowchart TD|  acc(Title|Descr): [^{}<>;#%]*|  \w+\(\["[^"<>\x60{}]*"\]\)(:::\w+)?|  \w+\["<b>[^"\x60{}\[\]]*"\](:::\w+)?|  \w+ --> \w+|  classDef \w+ [#\w:,.\- ]+)$`)

func TestSuppliedTextIsEscaped(t *testing.T) {
	for name, c := range samples() {
		for line := range strings.Lines(strings.TrimSpace(c.Mermaid())) {
			if !mermaidLine.MatchString(strings.TrimRight(line, "\n")) {
				t.Errorf("%s: %s", name, line)
			}
		}
		for _, r := range c.SVG() + c.Mermaid() {
			if r != '\n' && (r < ' ' || r == '\u202e') {
				t.Errorf("%s has the character %U", name, r)
			}
		}
	}
}

// Every text fits its box.
func TestTextStaysInItsLine(t *testing.T) {
	for _, text := range []string{"", "a", "two words", strings.Repeat("word ", 100), strings.Repeat("x", 500), strings.Repeat("長", 90), "a" + strings.Repeat(" ", 50) + "b"} {
		for _, most := range []int{1, 2, 3} {
			lines := chart.Fitting(text, 12, false, 100, most)
			if len(lines) == 0 || len(lines) > most {
				t.Errorf("%.20q has %d lines, at most %d", text, len(lines), most)
			}
			for _, line := range lines {
				if wide := chart.Measure(line, 12, false); wide > 100 {
					t.Errorf("%q is %.0f wide", line, wide)
				}
			}
			whole := strings.Join(strings.Fields(text), "")
			if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != whole && !(strings.HasSuffix(got, "…") && strings.HasPrefix(whole, strings.TrimSuffix(got, "…"))) {
				t.Errorf("%.20q becomes %q", text, lines)
			}
		}
	}
}

func TestAChartShowsDeadlines(t *testing.T) {
	due := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	cy := user("cy", "Cy")
	stage := policy.Stage{
		Key: "s", Name: "Checks", Approvers: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"ana"}}},
		Deadline: &policy.Deadline{
			DueIn: "P2DT1H", RemindBefore: []policy.Duration{"P1D"}, RemindEvery: "PT1H", OnDue: policy.OnDueEscalate,
			EscalateTo: []policy.Rule{{Type: policy.RuleUser, IDs: []string{"cy"}}},
		},
	}
	later := policy.Stage{Key: "t", Name: "Later", Approvers: stage.Approvers, Deadline: &policy.Deadline{DueCEL: "context.due", OnDue: policy.OnDueExpire}}
	d := policy.Definition{Name: "P", Stages: []policy.Stage{stage, later}}
	contains := func(what, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q: %s", what, w, text)
			}
		}
	}
	contains("policy", chart.OfPolicy(1, d, chart.English()).Describe(), "Due after 2 days 1 hour", "Reminder 1 day before",
		"Reminder every 1 hour after", "Then also asks cy", "Due: context.due", "Then the request expires")
	d.Settings.Calendar = &calendar.WorkingTime{}
	contains("working time", chart.OfPolicy(1, d, chart.English()).Describe(), "Due after 2 working days 1 working hour", "Reminder 1 working day before")
	french := chart.Texts{Reader: words.Reader("fr", time.UTC)}
	contains("French", chart.OfPolicy(1, d, french).Describe(), "Échéance après 2 jours ouvrés 1 heure ouvrée", "Ensuite la demande expire")

	run := wf.StageRun{Key: "s", Name: "Checks", Run: 1, Status: wf.StageActive, Count: quorum.Count{Need: 1}, Clock: wf.Clock{DueAt: due, OnDue: policy.OnDueEscalate}}
	r := wf.Request{Status: wf.RequestInReview, Stages: []wf.StageRun{run, {Key: "t", Name: "Later", Run: 1, Computed: policy.Computed{Due: policy.Due{At: due}}, Status: wf.StagePending}}}
	text := chart.OfRequest(r, d, chart.English()).Describe()
	contains("request", text, "Due 2 March 2026, 14:00 UTC", "Then asks more people")
	if n := strings.Count(text, "Due 2 March"); n != 2 {
		t.Errorf("%d due dates: %s", n, text)
	}
	if strings.Contains(text, "cy") {
		t.Errorf("a request tells the rules of its escalation: %s", text)
	}
	r.Stages[0].Status, r.Stages[0].OnDue = wf.StageBlocked, policy.OnDueNotify
	text = chart.OfRequest(r, d, chart.English()).Describe()
	if strings.Count(text, "Due 2 March") != 2 || strings.Contains(text, "more people") {
		t.Errorf("a blocked stage without an escalation: %s", text)
	}
	r.Stages[0].Status, r.Stages[0].OnDue = wf.StageActive, policy.OnDueEscalate
	r.Stages[0].EscalatedAt, r.Stages[0].People = due, []approver.Approver{{User: cy, Escalated: true}}
	r.Tasks = []wf.Task{{StageKey: "s", StageRun: 1, Status: wf.TaskOpen, Assignee: &cy, Added: true}}
	text = chart.OfRequest(r, d, chart.English()).Describe()
	contains("after the escalation", text, "Cy (added by escalation)")
	if strings.Contains(text, "more people") {
		t.Errorf("after the escalation: %s", text)
	}
	r.Stages[0].Status = wf.StageApproved
	if text = chart.OfRequest(r, d, chart.English()).Describe(); strings.Count(text, "Due 2 March") != 1 {
		t.Errorf("an ended stage has a due date: %s", text)
	}
}
