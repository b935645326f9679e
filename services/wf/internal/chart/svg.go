package chart

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// Sizes in CSS pixels. The wide chart fits a printed page with a smallest text of about 9 points;
// the narrow chart fits a phone.
const (
	wide     = 720
	narrow   = 288
	margin   = 16
	gap      = 20 // between boxes of a row
	drop     = 36 // between rows
	padding  = 14
	pill     = 34 // height of start and end
	across   = 3  // boxes in a row, of a wide picture
	widest   = 440
	nameSize = 15
	textSize = 12
	leading  = 1.4

	ink   = "#1b1f24"
	faint = "#57606a"
	paper = "#ffffff"
)

// look holds the colors of a state.
type look struct {
	state      State
	fill, line string
	weight     float64
	dash       string
}

var looks = []look{
	{Plain, "#f6f8fa", "#57606a", 1, ""},
	{Done, "#e6f4ea", "#116329", 1.5, ""},
	{Now, "#ddf4ff", "#0550ae", 2.5, ""},
	{Blocked, "#fff8c5", "#7d4e00", 2.5, ""},
	{Later, "#ffffff", "#57606a", 1, "6 4"},
	{Skipped, "#f6f8fa", "#57606a", 1, "2 4"},
	{Refused, "#ffebe9", "#a40e26", 2.5, ""},
}

func lookOf(s State) look {
	return looks[max(slices.IndexFunc(looks, func(l look) bool { return l.state == s }), 0)]
}

// drawing is an SVG that grows downwards.
type drawing struct {
	strings.Builder
	width  float64
	across int // boxes in a row
	y      float64
}

// SVG returns the chart as a standalone picture without a style sheet. Embedding pages may style
// its classes.
func (c Chart) SVG() string { return c.draw(&drawing{width: wide, across: across, y: margin}, "chart") }

// NarrowSVG returns the SVG for a narrow screen.
func (c Chart) NarrowSVG() string {
	return c.draw(&drawing{width: narrow, across: 1, y: margin}, "chart-narrow")
}

// draw renders the chart. name is the prefix of the ids of title and description.
func (c Chart) draw(d *drawing, name string) string {
	d.drawEnd(End{Word: c.Start})
	for _, step := range c.Steps {
		if len(step) > d.across {
			d.frame(step)
		} else {
			d.row(step)
		}
	}
	d.drawArrow(d.width/2, d.y, d.width/2, d.y+drop)
	d.y += drop
	d.drawEnd(c.End)
	height := d.y + margin
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="%[1]s-title %[1]s-description" width="%[2]d" height="%.0[3]f" viewBox="0 0 %[2]d %.0[3]f" font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">`+
			`<title id="%[1]s-title">%[4]s</title><desc id="%[1]s-description">%[5]s</desc>`+
			`<rect class="chart-paper" width="100%%" height="100%%" fill="%[6]s"/>%[7]s</svg>`+"\n",
		name,
		int(d.width),
		height,
		escapeXML(c.Title),
		escapeXML(c.Describe()),
		paper,
		d.String(),
	)
}

// drawEnd draws the start or the end.
func (d *drawing) drawEnd(e End) {
	text := wrapText(e.Word, nameSize, true, min(widest, d.width-2*margin-16)-2*padding, 1)[0]
	wide := max(measure(text, nameSize, true)+2*padding+16, 120)
	d.drawBox("chart-end", e.State, (d.width-wide)/2, d.y, wide, pill, pill/2)
	d.text("middle", d.width/2, d.y+pill/2+nameSize*.36, nameSize, true, ink, text)
	d.y += pill
}

// row draws parallel stages with their connectors.
func (d *drawing) row(stages []Stage) {
	r := d.layOut(stages, d.width-2*margin)
	top := d.y + drop
	for i, s := range stages {
		middle := r.leftEdge(i) + r.wide/2
		if len(stages) > 1 {
			d.line(d.width/2, d.y, d.width/2, d.y+drop/2)
			d.line(d.width/2, d.y+drop/2, middle, d.y+drop/2)
			d.drawArrow(middle, d.y+drop/2, middle, top)
			d.line(middle, top+r.high, middle, top+r.high+drop/2)
			d.line(middle, top+r.high+drop/2, d.width/2, top+r.high+drop/2)
		} else {
			d.drawArrow(middle, d.y, middle, top)
		}
		d.stage(s, r, i, top)
	}
	d.y = top + r.high
	if len(stages) > 1 {
		d.y += drop / 2
	}
}

// frame draws parallel stages that exceed one row: in several rows within a frame.
func (d *drawing) frame(stages []Stage) {
	var rows []row
	high := 2.0*padding - gap
	for chunk := range slices.Chunk(stages, d.across) {
		r := d.layOut(chunk, d.width-2*margin-2*padding)
		rows, high = append(rows, r), high+r.high+gap
	}
	top := d.y + drop
	d.drawArrow(d.width/2, d.y, d.width/2, top)
	fmt.Fprintf(
		d,
		`<rect class="chart-frame" x="%d" y="%.1f" width="%d" height="%.1f" rx="8" fill="none" stroke="%s"/>`,
		margin,
		top,
		int(d.width)-2*margin,
		high,
		faint,
	)
	y := top + padding
	for n, chunk := range slices.Collect(slices.Chunk(stages, d.across)) {
		for i, s := range chunk {
			d.stage(s, rows[n], i, y)
		}
		y += rows[n].high + gap
	}
	d.y = top + high
}

// row holds the layout of adjacent boxes.
type row struct {
	wide, high, start float64
	lines             [][]line
}

func (d *drawing) layOut(stages []Stage, room float64) row {
	n := float64(len(stages))
	r := row{wide: min(widest, (room-gap*(n-1))/n)}
	r.start = (d.width - r.wide*n - gap*(n-1)) / 2
	for _, s := range stages {
		r.lines = append(r.lines, s.layOut(r.wide))
		r.high = max(r.high, heightOf(r.lines[len(r.lines)-1]))
	}
	return r
}

func (r row) leftEdge(i int) float64 { return r.start + float64(i)*(r.wide+gap) }

func (d *drawing) stage(s Stage, r row, i int, top float64) {
	d.drawBox("chart-stage", s.State, r.leftEdge(i), top, r.wide, r.high, 8)
	d.lines(r.lines[i], r.leftEdge(i), top, r.wide)
}

// line is one line of a box.
type line struct {
	text  string
	size  float64
	bold  bool
	color string
	rule  bool // a thin line above it
}

// layOut wraps the content of a box into lines.
func (s Stage) layOut(wide float64) []line {
	room := wide - 2*padding
	var lines []line
	add := func(text string, size float64, bold bool, color string, most int, rule bool) {
		for i, part := range wrapText(text, size, bold, room, most) {
			lines = append(lines, line{part, size, bold, color, rule && i == 0})
		}
	}
	add(s.Name, nameSize, true, ink, 3, false)
	if s.Word != "" {
		add(s.Word, textSize, true, lookOf(s.State).line, 1, false)
	}
	for _, note := range s.Notes {
		add(note, textSize, false, faint, 3, false)
	}
	for i, p := range s.People {
		add(p.line(), textSize, false, ink, 2, i == 0)
	}
	return lines
}

func heightOf(lines []line) float64 {
	high := 2.0 * padding
	for _, l := range lines {
		high += l.height()
	}
	return high
}

func (l line) height() float64 {
	if l.rule {
		return l.size*leading + 8
	}
	return l.size * leading
}

func (d *drawing) lines(lines []line, x, y, wide float64) {
	y += padding
	for _, l := range lines {
		if l.rule {
			fmt.Fprintf(d, `<path d="M%.1f %.1fH%.1f" stroke="%s" stroke-opacity=".4"/>`, x+padding, y+4, x+wide-padding, faint)
		}
		y += l.height()
		d.text("start", x+padding, y-l.size*(leading-1), l.size, l.bold, l.color, l.text)
	}
}

func (d *drawing) drawBox(class string, s State, x, y, wide, high, round float64) {
	l := lookOf(s)
	dash := ""
	if l.dash != "" {
		dash = ` stroke-dasharray="` + l.dash + `"`
	}
	if s != Plain {
		class += " chart-" + string(s)
	}
	fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.0f" fill="%s" stroke="%s" stroke-width="%.1f"%s/>`,
		class, x, y, wide, high, round, l.fill, l.line, l.weight, dash)
}

func (d *drawing) text(anchor string, x, y, size float64, bold bool, color, text string) {
	weight := ""
	if bold {
		weight = ` font-weight="600"`
	}
	fmt.Fprintf(
		d,
		`<text class="chart-text" x="%.1f" y="%.1f" font-size="%.0f"%s text-anchor="%s" fill="%s">%s</text>`,
		x,
		y,
		size,
		weight,
		anchor,
		color,
		escapeXML(text),
	)
}

func (d *drawing) line(x1, y1, x2, y2 float64) {
	if x1 != x2 || y1 != y2 {
		fmt.Fprintf(d, `<path class="chart-line" d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-width="1.5" fill="none"/>`, x1, y1, x2, y2, faint)
	}
}

// drawArrow draws a line down with an arrowhead.
func (d *drawing) drawArrow(x1, y1, x2, y2 float64) {
	d.line(x1, y1, x2, y2-7)
	fmt.Fprintf(d, `<path class="chart-head" d="M%.1f %.1fl-5 -8h10z" fill="%s"/>`, x2, y2-1, faint)
}

func escapeXML(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(singleLine(text))) // a Builder takes everything
	return out.String()
}
