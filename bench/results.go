package main

import (
	"encoding/json"
	"math"
	"os"
	"time"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
)

// results holds the figures of a run.
type results struct {
	Clients     int                `json:"clients"`
	For         time.Duration      `json:"for"`
	Import      imported           `json:"import"`
	Contestants []contestantResult `json:"contestants"`
	// columns holds the names of the workloads in order, in one list for each table.
	columns [][]string
}

// contestantResult holds the figures of one contestant. Memory is in bytes.
type contestantResult struct {
	Name      string                    `json:"name"`
	Workloads map[string]measure.Result `json:"workloads"`
	// Unseen holds the results for documents never seen before; empty without documents.
	Unseen map[string]measure.Result `json:"unseen,omitempty"`
	// Start is the time from the start of the process to its first answer.
	Start time.Duration `json:"start"`
	// Memory is the private memory after 64 clients, MemoryUnseen after unseen
	// documents.
	Memory       int64 `json:"memory"`
	MemoryUnseen int64 `json:"memoryUnseen,omitempty"`
	// Others is the share of the processors that other processes used meanwhile.
	Others float64 `json:"others"`
}

func (r *results) writeJSON(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// of returns the result of the contestant with a name, or nil if it did not take part.
func (r *results) of(name string) *contestantResult {
	for i := range r.Contestants {
		if r.Contestants[i].Name == name {
			return &r.Contestants[i]
		}
	}
	return nil
}

// mean is the geometric mean, over the workloads of a table that both have, of a figure of a
// divided by that of b. It leaves out totals and buckets, for which others count rows.
func mean(names []string, a, b *contestantResult, figure func(measure.Result) float64) float64 {
	sum, n := 0.0, 0
	for _, name := range names {
		if of, both := b.Workloads[name]; both && name != workload.Total && name != workload.Buckets {
			sum += math.Log(figure(a.Workloads[name]) / figure(of))
			n++
		}
	}
	return math.Exp(sum / float64(n))
}

func cpu(r measure.Result) float64       { return float64(r.CPU) }
func perSecond(r measure.Result) float64 { return r.PerSecond }
func p99(r measure.Result) float64       { return float64(r.P99) }
