package people

import (
	"net/http"
	"net/url"
	"regexp"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// checkPage shows a request before it is sent. Its fields cannot be edited: links lead to the form.
type checkPage struct {
	submission
	Rows    []checkRow
	Columns []page.StageColumn
	Preview wf.Case
}

// checkRow is one value, with the field in which it can be changed; empty without one.
type checkRow struct {
	content.Entry
	Field string
	Files []wf.Attachment
}

// show shows the page. One that was sent already was outdated.
func (c *checkPage) show(req *page.Request) error {
	status := http.StatusOK
	if req.R.PostForm.Get("seen") != "" {
		status, req.Problem = http.StatusConflict, req.T("note.recheck")
	}
	c.Columns = previewStages(req, c.Preview)
	return req.Show(status, "check", req.T("check.title"), c)
}

// addText adds a text, unless it is empty.
func (c *checkPage) addText(req *page.Request, field, label, text string) {
	if text == "" {
		return
	}
	row := checkRow{Entry: content.Entry{Title: req.T(label), Kind: "text", Text: text}, Field: field}
	if link := form.SafeLink(text); field == "link" && link != "" {
		row.Kind, row.Link = "link", link
	}
	c.Rows = append(c.Rows, row)
}

// addContent adds the content of the request. A value without a field of the form has none.
func (c *checkPage) addContent(req *page.Request) {
	sent, schema := c.Preview.Request.Context, c.Preview.Definition.ContextSchema
	for _, e := range content.Entries(req.Request.Request, sent, schema) {
		row := checkRow{Entry: e}
		for _, in := range c.Inputs {
			if in.Name == "c/"+url.PathEscape(e.Name) {
				row.Field = in.Name
			}
		}
		c.Rows = append(c.Rows, row)
	}
}

// previewStages returns the stages of a preview, with the conditions of those that have not started.
func previewStages(req *page.Request, p wf.Case) (columns []page.StageColumn) {
	schema := form.ParseSchema(p.Definition.ContextSchema).For(req.Reader)
	for _, run := range p.Request.Stages {
		if last, _ := p.Request.LatestRun(run.Key); run.Run != last.Run {
			continue
		}
		stage, _ := p.Definition.Stage(run.Key)
		waits := run.Status == wf.StagePending
		if engine.Skips(p, run) {
			run.Status, run.Skip = wf.StageSkipped, &wf.Skip{Reason: wf.SkippedByCondition}
		}
		box := req.StageBox(p, run)
		if waits {
			box.Condition = nameMembers(stage.When, schema)
		}
		columns = page.AddBox(columns, run, box)
	}
	return columns
}

// member matches a member of the context in an expression.
var member = regexp.MustCompile(`\bcontext\.([A-Za-z_][A-Za-z0-9_]*)`)

// nameMembers returns an expression with the titles of the members that it reads.
func nameMembers(cel string, schema form.Schema) string {
	return member.ReplaceAllStringFunc(cel, func(found string) string {
		name := found[len("context."):]
		return "“" + schema.Property(name).Title(name) + "”"
	})
}
