package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
)

// writeTables writes the results as Markdown.
func (r *results) writeTables(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d records, %d MiB; %d clients; %s each.", machine(), r.Import.Records, r.Import.Bytes>>20, r.Clients, r.For)
	if r.Import.Took > 0 {
		fmt.Fprintf(&b, " Generated and imported in %s: %.0f records/s.", r.Import.Took.Round(100*time.Millisecond),
			float64(r.Import.Records)/r.Import.Took.Seconds())
	}
	b.WriteString("\n\nOther processes used, in percent of the processors, beside")
	for i, c := range r.Contestants {
		fmt.Fprintf(&b, "%s %s %.0f", []string{"", ","}[min(i, 1)], c.Name, 100*c.Others)
	}
	b.WriteString(".\n\nServer CPU in ms a request:\n")
	r.figures(&b, cpuText)
	b.WriteString("\nRequests a second:\n")
	r.figures(&b, func(m measure.Result) string { return fmt.Sprintf("%.0f", m.PerSecond) })
	b.WriteString("\nLatency in ms, 50th and 99th percentile:\n")
	r.figures(&b, func(m measure.Result) string { return fmt.Sprintf("%.2f %.2f", ms(m.P50), ms(m.P99)) })
	b.WriteString("\nUnseen documents (CPU in ms a request), start, and private memory:\n\n")
	columns := []string{"range, unseen", "5 operations, unseen", "start to first answer, ms", "MiB after 64 clients", "MiB after unseen documents"}
	r.table(&b, "", columns, func(c *contestantResult) []string {
		cells := []string{"", "", fmt.Sprintf("%.0f", ms(c.Start)), mib(c.Memory), ""}
		if len(c.Unseen) > 0 {
			cells[0], cells[1], cells[4] = cpuText(c.Unseen[workload.Range]), cpuText(c.Unseen[workload.Five]), mib(c.MemoryUnseen)
		}
		return cells
	})
	for _, name := range []string{ours, oursOnPostgreSQL} {
		if us := r.of(name); us != nil {
			r.writeRatios(&b, us)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var model = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// machine returns the names of the processors and the kernel, and the Go version.
func machine() string {
	name, kernel := "processors", []byte("Linux")
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if found := model.FindSubmatch(text); found != nil {
			name = string(found[1])
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel = append([]byte("Linux "), bytes.TrimSpace(text)...)
	}
	return fmt.Sprintf("%d × %s, %s, %s", runtime.NumCPU(), name, kernel, runtime.Version())
}

// table writes a row for each contestant for which cells returns any.
func (r *results) table(b *strings.Builder, names string, columns []string, cells func(*contestantResult) []string) {
	row := func(name string, cells []string) { fmt.Fprintf(b, "| %s | %s |\n", name, strings.Join(cells, " | ")) }
	row(names, columns)
	b.WriteString("| --- |" + strings.Repeat(" ---: |", len(columns)) + "\n")
	for i := range r.Contestants {
		if list := cells(&r.Contestants[i]); list != nil {
			row(r.Contestants[i].Name, list)
		}
	}
}

// figures writes tables with a column for each workload.
func (r *results) figures(b *strings.Builder, cell func(measure.Result) string) {
	for _, names := range r.columns {
		b.WriteByte('\n')
		r.table(b, "", names, func(c *contestantResult) []string { return c.cells(names, cell) })
	}
}

// cells returns a cell for each workload, empty for those that the contestant lacks.
func (c *contestantResult) cells(names []string, cell func(measure.Result) string) (cells []string) {
	for _, name := range names {
		text := ""
		if result, ok := c.Workloads[name]; ok {
			text = cell(result)
		}
		cells = append(cells, text)
	}
	return cells
}

// ratios returns the CPU time of a divided by that of b for each workload, and the mean
// ratios of figures.
func ratios(names []string, a, b *contestantResult, figures ...func(measure.Result) float64) (cells []string) {
	for _, name := range names {
		text := ""
		if result, ok := b.Workloads[name]; ok {
			text = fmt.Sprintf("%.2f", cpu(a.Workloads[name])/cpu(result))
		}
		cells = append(cells, text)
	}
	for _, figure := range figures {
		cells = append(cells, fmt.Sprintf("%.2f", mean(names, a, b, figure)))
	}
	return cells
}

// writeRatios writes the figures of one of our servers divided by those of the others, and
// where it is not ahead. On PostgreSQL, the other is PostGraphile.
func (r *results) writeRatios(b *strings.Builder, us *contestantResult) {
	others := &results{columns: r.columns}
	for _, c := range r.Contestants {
		if !strings.HasPrefix(c.Name, ours) && (us.Name == ours || c.Name == onPostGraphile) {
			others.Contestants = append(others.Contestants, c)
		}
	}
	if len(others.Contestants) > 0 {
		fmt.Fprintf(b, "\n%s divided by each contestant, CPU a request in each column; means are geometric, without totals and buckets:\n", us.Name)
		for _, names := range r.columns {
			b.WriteByte('\n')
			others.table(b, "by", append(slices.Clone(names), "mean", "requests/s, mean", "p99, mean"), func(c *contestantResult) []string {
				return ratios(names, us, c, cpu, perSecond, p99)
			})
		}
	}
	ratio := func(a, b measure.Result) float64 { return cpu(a) / cpu(b) }
	for _, c := range others.Contestants {
		var behind []string
		for _, name := range slices.Concat(r.columns...) {
			if of, both := c.Workloads[name]; both && ratio(us.Workloads[name], of) > 1 {
				behind = append(behind, fmt.Sprintf("%s %.2f", name, ratio(us.Workloads[name], of)))
			}
		}
		if len(behind) > 0 && c.Name != staticBytes {
			fmt.Fprintf(b, "\nNot ahead of %s: %s.\n", c.Name, strings.Join(behind, "; "))
		}
	}
	fmt.Fprintf(b, "\nIn %s, the 1,000th page takes %.2f times the first; unseen documents %.2f (range) and %.2f (5 operations) times seen ones.\n",
		us.Name,
		ratio(us.Workloads[workload.Deep], us.Workloads[workload.Range]),
		ratio(us.Unseen[workload.Range], us.Workloads[workload.Range]),
		ratio(us.Unseen[workload.Five], us.Workloads[workload.Five]))
}

func cpuText(m measure.Result) string { return fmt.Sprintf("%.3f", ms(m.CPU)) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mib(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
