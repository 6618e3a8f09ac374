package main

import (
	"strings"
	"testing"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
	"mintburn/internal/testing/expect"
)

// TestRatios checks what our servers are divided by, that means leave out totals, buckets and
// what a contestant lacks, and that the columns where they are not ahead are named.
func TestRatios(t *testing.T) {
	of := func(name string, list ...measure.Result) contestantResult {
		c := contestantResult{Name: name, Workloads: map[string]measure.Result{}}
		for i, r := range list {
			r.PerSecond, r.P99 = 1, 1
			c.Workloads[[]string{workload.Range, workload.Total, workload.List, workload.Buckets, workload.Tokens}[i]] = r
		}
		return c
	}
	r := &results{
		columns: [][]string{{workload.Range, workload.Total}, {workload.List, workload.Buckets, workload.Tokens}},
		Contestants: []contestantResult{
			of("hand-written", measure.Result{CPU: 8}, measure.Result{CPU: 2}, measure.Result{CPU: 2}),
			of(ours, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}),
			of(oursOnPostgreSQL, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}, measure.Result{CPU: 4}),
			of(onPostGraphile, measure.Result{CPU: 8}, measure.Result{CPU: 8}, measure.Result{CPU: 2}, measure.Result{CPU: 1}, measure.Result{CPU: 8}),
		},
	}
	var text strings.Builder
	expect.NoError(t, r.writeTables(&text))
	var got []string
	for line := range strings.Lines(text.String()[strings.Index(text.String(), "divided by"):]) {
		if strings.HasPrefix(line, "| hand") || strings.HasPrefix(line, "| Post") || strings.HasPrefix(line, "Not ahead") || strings.Contains(line, "divided") {
			got = append(got, line[:min(len(line)-1, 60)])
		}
	}
	expect.Equal(t, "ratios", []string{
		"divided by each contestant, CPU a request in each column; me",
		"| hand-written | 0.50 | 2.00 | 0.50 | 1.00 | 1.00 |",
		"| PostGraphile | 0.50 | 0.50 | 0.50 | 1.00 | 1.00 |",
		"| hand-written | 2.00 |  |  | 2.00 | 1.00 | 1.00 |",
		"| PostGraphile | 2.00 | 4.00 | 0.50 | 1.00 | 1.00 | 1.00 |",
		"Not ahead of hand-written: total of a wide range 2.00; list ",
		"Not ahead of PostGraphile: list 2.00; buckets 4.00.",
		"mintburn on PostgreSQL divided by each contestant, CPU a req",
		"| PostGraphile | 0.50 | 0.50 | 0.50 | 1.00 | 1.00 |",
		"| PostGraphile | 2.00 | 4.00 | 0.50 | 1.00 | 1.00 | 1.00 |",
		"Not ahead of PostGraphile: list 2.00; buckets 4.00.",
	}, got)
}
