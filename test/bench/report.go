package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report contains the measurements.
type report struct {
	services []result
	lists    *listed // nil without that part
}

// print writes one table per part.
func (r report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.services) > 0 {
		fmt.Fprintln(w, "\nstep\ton\tconnections\tcalls/s\tp50\tp99\tCPU of a call\t")
		for _, result := range r.services {
			for _, s := range result.series {
				fmt.Fprintf(w, "%s\t%s\t%d\t%.0f\t%s\t%s\t%s\t\n", s.step, s.database, s.conns, medianOf(s.http, func(s speed) float64 { return s.rate }),
					milliseconds(medianOf(s.http, func(s speed) time.Duration { return s.p50 })),
					milliseconds(medianOf(s.http, func(s speed) time.Duration { return s.p99 })), milliseconds(median(s.cpu)))
			}
		}
		fmt.Fprintln(w, "\nprogram\tsize\tready\tmemory, idle\tmemory, maximum\t")
		for _, result := range r.services {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", result.subject, megabytes(result.size), milliseconds(result.ready),
				megabytes(result.idle), megabytes(result.peak))
		}
	}
	if r.lists != nil {
		fmt.Fprintln(w, "\nrequests\topen tasks of one user\tcreated/s\tp50\tp99\tbytes of a request\t")
		for _, g := range r.lists.curve {
			fmt.Fprintf(w, "%d\t%d\t%.0f\t%s\t%s\t%d\t\n", g.requests, g.tasks, g.rate, milliseconds(g.p50), milliseconds(g.p99), g.bytes/int64(g.requests))
		}
		fmt.Fprintf(w, "\nlist, %d callers\trows\tcalls/s\tp50\tp99\tCPU of a call\t\n", listCallers)
		for _, s := range r.lists.lists {
			fmt.Fprintf(w, "%s\t%d\t%.0f\t%s\t%s\t%s\t\n", s.name, s.rows, s.rate, milliseconds(s.p50), milliseconds(s.p99), milliseconds(s.cpu))
		}
	}
	return w.Flush()
}

func medianOf[T ~int64 | ~float64](all []speed, of func(speed) T) T {
	out := make([]T, len(all))
	for i, s := range all {
		out[i] = of(s)
	}
	return median(out)
}

// median returns the middle value; of an even number, the mean of the two in the middle.
func median[T ~int64 | ~float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
