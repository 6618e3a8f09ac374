package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
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
	b.WriteString("\n\nServer CPU in ms a request:\n\n")
	r.table(&b, func(m measure.Result) string { return fmt.Sprintf("%.3f", ms(m.CPU)) })
	b.WriteString("\nRequests a second:\n\n")
	r.table(&b, func(m measure.Result) string { return fmt.Sprintf("%.0f", m.PerSecond) })
	b.WriteString("\nLatency in ms, 50th and 99th percentile:\n\n")
	r.table(&b, func(m measure.Result) string { return fmt.Sprintf("%.2f %.2f", ms(m.P50), ms(m.P99)) })
	b.WriteString("\nDocuments never seen before, CPU in ms a request; start; private memory:\n\n")
	r.rest(&b)
	if us := r.of(ours); us != nil {
		fmt.Fprintf(&b, "\n%s by each other, CPU a request in each column; means are geometric and leave out totals:\n\n", ours)
		r.ratios(&b, us)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var model = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)

// machine returns the processors, the kernel and the version of Go.
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

// table writes a row for each contestant and a column for each workload.
func (r *results) table(b *strings.Builder, cell func(measure.Result) string) {
	row(b, "", r.columns...)
	line(b, len(r.columns))
	for _, c := range r.Contestants {
		var cells []string
		for _, name := range r.columns {
			cells = append(cells, cell(c.Workloads[name]))
		}
		row(b, c.Name, cells...)
	}
}

// rest writes the figures of unseen documents, start and memory.
func (r *results) rest(b *strings.Builder) {
	row(b, "", "range, unseen", "5 operations, unseen", "start to first answer, ms", "MiB after 64 clients", "MiB after unseen documents")
	line(b, 5)
	for _, c := range r.Contestants {
		cells := []string{"", "", fmt.Sprintf("%.0f", ms(c.Start)), mib(c.Memory), ""}
		if len(c.Unseen) > 0 {
			cells[0], cells[1] = fmt.Sprintf("%.3f", ms(c.Unseen[workload.Range].CPU)), fmt.Sprintf("%.3f", ms(c.Unseen[workload.Five].CPU))
			cells[4] = mib(c.MemoryUnseen)
		}
		row(b, c.Name, cells...)
	}
}

// ratios writes the figures of mintburn divided by those of the others.
func (r *results) ratios(b *strings.Builder, us *contestantResult) {
	row(b, "by", append(append([]string{}, r.columns...), "mean", "requests/s, mean", "p99, mean")...)
	line(b, len(r.columns)+3)
	for i := range r.Contestants {
		other := &r.Contestants[i]
		if other.Name == us.Name {
			continue
		}
		var cells []string
		for _, name := range r.columns {
			cells = append(cells, fmt.Sprintf("%.2f", cpu(us.Workloads[name])/cpu(other.Workloads[name])))
		}
		for _, figure := range []func(measure.Result) float64{cpu, perSecond, p99} {
			cells = append(cells, fmt.Sprintf("%.2f", r.mean(us, other, figure)))
		}
		row(b, other.Name, cells...)
	}
	ratio := func(a, b measure.Result) float64 { return cpu(a) / cpu(b) }
	fmt.Fprintf(b, "\nOf our own: the 1,000th page by the first %.2f; unseen documents by seen ones %.2f (range), %.2f (5 operations).\n",
		ratio(us.Workloads[workload.Deep], us.Workloads[workload.Range]),
		ratio(us.Unseen[workload.Range], us.Workloads[workload.Range]),
		ratio(us.Unseen[workload.Five], us.Workloads[workload.Five]))
}

func row(b *strings.Builder, name string, cells ...string) {
	fmt.Fprintf(b, "| %s | %s |\n", name, strings.Join(cells, " | "))
}

func line(b *strings.Builder, columns int) {
	b.WriteString("| --- |" + strings.Repeat(" ---: |", columns) + "\n")
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mib(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }
