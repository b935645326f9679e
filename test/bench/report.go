package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report is what was measured. What was not is empty, or nil.
type report struct {
	services []result
	watched  []*watch
	sent     *sent
	listed   []listed
	inboxed  *inboxed
	imported []imported
}

// print writes the tables and then which goals were met.
func (r report) print(out io.Writer) error {
	var tables []func(*tabwriter.Writer)
	if len(r.services) > 0 {
		tables = append(tables, r.speeds, r.needs)
	}
	if len(r.watched) > 0 {
		tables = append(tables, r.costs)
	}
	if r.sent != nil {
		tables = append(tables, r.sent.drained, r.sent.waits)
	}
	if len(r.listed) > 0 {
		tables = append(tables, r.growth, r.pages)
	}
	if r.inboxed != nil {
		tables = append(tables, r.inboxed.table)
	}
	if len(r.imported) > 0 {
		tables = append(tables, r.moves)
	}
	for _, write := range tables {
		fmt.Fprintln(out)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		write(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	for _, g := range r.goals() {
		verdict := "met   "
		if !g.met {
			verdict = "MISSED"
		}
		if _, err := fmt.Fprintf(out, "%s  %s\n", verdict, g.text); err != nil {
			return err
		}
	}
	return nil
}

// speeds is the table of the series: medians of the rounds.
func (r report) speeds(w *tabwriter.Writer) {
	fmt.Fprintln(w, "step\ton\tconnections\tHTTP/s\tp50\tp99\tCPU\tWAL\tSQL/s\tp50\tp99\tHTTP/SQL\t(of the rounds)\t")
	for _, result := range r.services {
		for _, s := range result.series {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t", s.step, s.database, s.conns, s.columns(s.http), fmt.Sprintf("%.2f ms", float64(median(s.cpu))/1e6))
			if len(s.sql) > 0 {
				fmt.Fprintf(w, "%.1f kB\t", float64(median(s.wal))/1e3)
				ratios := s.ratios()
				fmt.Fprintf(w, "%s\t%.2f\t%.2f to %.2f\t", s.columns(s.sql), median(ratios), slices.Min(ratios), slices.Max(ratios))
			} else {
				fmt.Fprint(w, "\t\t\t\t\t\t")
			}
			fmt.Fprintln(w)
		}
	}
}

func (*series) columns(all []speed) string {
	return fmt.Sprintf("%.0f\t%s\t%s", median(rates(all)), milliseconds(medianOf(all, func(s speed) time.Duration { return s.p50 })),
		milliseconds(medianOf(all, func(s speed) time.Duration { return s.p99 })))
}

// ratios is HTTP over SQL, round by round.
func (s *series) ratios() []float64 {
	ratios := make([]float64, len(s.sql))
	for i := range s.sql {
		ratios[i] = s.http[i].rate / s.sql[i].rate
	}
	return ratios
}

// needs is the table of everything that is not a series.
func (r report) needs(w *tabwriter.Writer) {
	fmt.Fprint(w, "\t")
	for _, result := range r.services {
		fmt.Fprintf(w, "%s\t", result.subject)
	}
	fmt.Fprintln(w)
	for _, line := range []struct {
		name string
		cell func(result) string
	}{
		{"calls a second, evenly", func(r result) string { return fmt.Sprint(r.rate) }},
		{"p50 of those", func(r result) string { return milliseconds(r.paced.p50) }},
		{"p95 of those", func(r result) string { return milliseconds(r.paced.p95) }},
		{"p99 of those", func(r result) string { return milliseconds(r.paced.p99) }},
		{"memory, idle", func(r result) string { return megabytes(r.idle) }},
		{"memory, at most", func(r result) string { return megabytes(r.peak) }},
		{"ready on an empty database", func(r result) string { return milliseconds(median(r.fresh)) }},
		{"ready on one in place", func(r result) string { return milliseconds(median(r.inPlace)) }},
		{"program", func(r result) string { return megabytes(r.size) }},
	} {
		fmt.Fprintf(w, "%s\t", line.name)
		for _, result := range r.services {
			fmt.Fprintf(w, "%s\t", strings.TrimPrefix(strings.TrimPrefix(line.cell(result), "0.0 ms"), "0.0 MB")) // nothing for what failed before
		}
		fmt.Fprintln(w)
	}
	for _, result := range r.services {
		for _, s := range result.series {
			if s.statements > 0 && s.conns == levels[0] {
				fmt.Fprintf(w, "%s\t%d statements in %d round trips\t\n", s.step, s.statements, s.trips)
			}
		}
	}
}

// costs is the table of what being watched costs: medians of the rounds, and beside nobody
// in the same round.
func (r report) costs(w *tabwriter.Writer) {
	fmt.Fprintln(w, "create request, watched by\tHTTP/s\tp99\tratio\t(of the rounds)\tCPU\tratio\t(of the rounds)\tspans a call\t")
	nobody := r.watched[0]
	for _, watch := range r.watched {
		rates, cpu := make([]float64, len(watch.rates)), make([]float64, len(watch.rates))
		for i := range rates {
			rates[i], cpu[i] = watch.rates[i]/nobody.rates[i], float64(watch.cpu[i])/float64(max(nobody.cpu[i], 1))
		}
		fmt.Fprintf(w, "%s\t%.0f\t%s\t%.2f\t%.2f to %.2f\t%.2f ms\t%.2f\t%.2f to %.2f\t%.1f\t\n", watch.name, median(watch.rates), milliseconds(median(watch.p99)),
			median(rates), slices.Min(rates), slices.Max(rates), float64(median(watch.cpu))/1e6, median(cpu), slices.Min(cpu), slices.Max(cpu), float64(watch.spans)/float64(watch.calls))
	}
}

// drained is the table of how fast webhooks are worked off: medians of the rounds.
func (s *sent) drained(w *tabwriter.Writer) {
	fmt.Fprintln(w, "webhooks sent by\tdeliveries/s\tCPU\tbare HTTP/s\tratio\t(of the rounds)\t")
	for _, d := range s.drains {
		if len(d.rates) == 0 || len(s.bare) < len(d.rates) {
			continue // failed
		}
		ratios := d.ratios(s.bare)
		fmt.Fprintf(w, "%s\t%.0f\t%.2f ms\t%.0f\t%.2f\t%.2f to %.2f\t\n",
			d.name(), median(d.rates), float64(median(d.cpu))/1e6, median(s.bare), median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
}

// waits is the table of how late webhooks come.
func (s *sent) waits(w *tabwriter.Writer) {
	fmt.Fprintln(w, "a webhook comes\tp50\tp95\tp99\t")
	for _, line := range []struct {
		name string
		lateness
	}{
		{fmt.Sprintf("after its event, at %d a second", eventRate), s.fromEvent},
		{"after the reply to who caused it", s.fromReply},
		{fmt.Sprintf("after its event, at %d a second to each of %d endpoints while another hangs", besideRate, endpoints), s.beside},
	} {
		if line.lateness == (lateness{}) {
			continue // failed
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", line.name, milliseconds(line.p50), milliseconds(line.p95), milliseconds(line.p99))
	}
}

// growth is the table of what creation costs the more there is.
func (r report) growth(w *tabwriter.Writer) {
	fmt.Fprintln(w, "requests\ton\topen tasks of one person\tcreated/s\tp50\tp99\tbytes a request\t")
	for _, l := range r.listed {
		for _, g := range l.curve {
			fmt.Fprintf(w, "%d\t%s\t%d\t%.0f\t%s\t%s\t%d\t\n", g.requests, l.database, g.tasks, g.rate, milliseconds(g.p50), milliseconds(g.p99), g.bytes/int64(g.requests))
		}
	}
	for _, l := range r.listed {
		if len(l.tables) == 0 {
			continue
		}
		last := l.curve[len(l.curve)-1]
		for _, table := range slices.Sorted(maps.Keys(l.tables)) {
			fmt.Fprintf(w, "in %s\t%s\t\t\t\t\t%d\t\n", table, l.database, l.tables[table]/int64(last.requests))
		}
	}
}

// pages is the table of the lists.
func (r report) pages(w *tabwriter.Writer) {
	fmt.Fprintf(w, "list, for %d callers\ton\trows\tHTTP/s\tp50\tp99\tCPU\tof PostgreSQL\t\n", listCallers)
	for _, l := range r.listed {
		for _, s := range l.lists {
			fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%s\t%s\t%s\t%s\t\n", s.name, l.database, s.rows, s.rate, milliseconds(s.p50), milliseconds(s.p99),
				milliseconds(s.cpu), strings.TrimPrefix(milliseconds(s.backend), "0.0 ms")) // nothing for what cannot be seen
		}
	}
}

func (s *sent) goals() []goal {
	var goals []goal
	add := func(met bool, format string, args ...any) {
		goals = append(goals, goal{met, hooksPart + ": " + fmt.Sprintf(format, args...)})
	}
	late := func(waited, most time.Duration, format string) {
		if waited > 0 {
			add(waited <= most, format+" within %s, want %s", milliseconds(waited), milliseconds(most))
		}
	}
	if one := s.drains[0]; len(one.rates) > 0 && len(s.bare) >= len(one.rates) {
		ratio := median(one.ratios(s.bare))
		add(ratio >= 0.30, "one process sends %.2f of bare HTTP, want 0.30", ratio)
	}
	late(s.fromEvent.p50, 10*time.Millisecond, "half come after their event")
	late(s.fromEvent.p99, 40*time.Millisecond, "99 %% come after their event")
	late(s.beside.p95, 2*time.Second, "while an endpoint hangs, 95 %% come")
	late(s.beside.p99, 5*time.Second, "while an endpoint hangs, 99 %% come")
	return goals
}

// goal is something that a service is to reach.
type goal struct {
	met  bool
	text string
}

// goalLevel is the number of connections at which rates are judged.
const goalLevel = 8

func (r report) goals() []goal {
	var goals []goal
	if r.sent != nil {
		goals = r.sent.goals()
	}
	for _, l := range r.listed {
		goals = append(goals, l.goals()...)
	}
	if r.inboxed != nil {
		goals = append(goals, r.inboxed.goals()...)
	}
	goals = append(goals, r.moveGoals()...)
	for _, result := range r.services {
		add := func(met bool, format string, args ...any) {
			goals = append(goals, goal{met, result.subject + ": " + fmt.Sprintf(format, args...)})
		}
		for _, s := range result.series {
			if s.conns != goalLevel || len(s.sql) == 0 {
				continue
			}
			switch ratio := median(s.ratios()); {
			case s.step == wf.steps[0].name:
				add(ratio >= 0.50, "%s reaches %.2f of SQL alone at 8 connections, want 0.50", s.step, ratio)
			case result.subject != wf.name:
				add(ratio >= 0.60, "%s reaches %.2f of SQL alone at 8 connections, want 0.60", s.step, ratio)
			}
			if rate := median(rates(s.http)); result.subject == registrar.name && s.step == registrar.steps[0].name {
				add(rate >= 1000, "%s reaches %.0f/s at 8 connections, want 1000/s", s.step, rate)
			}
		}
		if result.subject == wf.name && result.paced.p99 > 0 {
			add(result.paced.p99 <= 80*time.Millisecond, "p99 is %s at %d calls a second, want 80 ms", milliseconds(result.paced.p99), result.rate)
		}
		fresh, inPlace := median(result.fresh), median(result.inPlace)
		add(result.idle <= 45e6, "memory is %s when idle, want 45 MB", megabytes(result.idle))
		add(result.peak > 0 && result.peak <= 90e6, "memory is %s at most, want 90 MB", megabytes(result.peak))
		add(fresh <= 2*time.Second, "ready after %s on an empty database, want 2000 ms", milliseconds(fresh))
		add(inPlace <= time.Second/2, "ready after %s on one in place, want 500 ms", milliseconds(inPlace))
		add(result.size <= 40e6, "the program has %s, want 40 MB", megabytes(result.size))
	}
	return goals
}

func rates(all []speed) []float64 {
	out := make([]float64, len(all))
	for i, s := range all {
		out[i] = s.rate
	}
	return out
}

func medianOf(all []speed, of func(speed) time.Duration) time.Duration {
	out := make([]time.Duration, len(all))
	for i, s := range all {
		out[i] = of(s)
	}
	return median(out)
}

// median is the middle value; of an even number, the mean of the two in the middle.
func median[T ~int64 | ~float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// megabytes are millions of bytes.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// counts are the replies that count.
var counts = regexp.MustCompile(` (tasks/stats|me) `)

func (l listed) goals() []goal {
	var goals []goal
	for _, limit := range []struct {
		what   string
		counts bool
		most   time.Duration
	}{{"lists", false, 20 * time.Millisecond}, {"counts", true, 50 * time.Millisecond}} {
		within, all := 0, 0
		var slowest listSpeed
		for _, s := range l.lists {
			if counts.MatchString(s.name) != limit.counts {
				continue
			}
			if all++; s.p99 <= limit.most {
				within++
			}
			if s.p99 > slowest.p99 {
				slowest = s
			}
		}
		if all == 0 {
			continue // cut off before
		}
		goals = append(goals, goal{within == all, fmt.Sprintf("%s: on %s %d of %d %s answer 99 %% within %s; the slowest, %s, within %s",
			listsPart, l.database, within, all, limit.what, milliseconds(limit.most), slowest.name, milliseconds(slowest.p99))})
	}
	return goals
}
