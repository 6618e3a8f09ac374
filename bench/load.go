package main

import (
	"mintburn/bench/measure"
	"mintburn/bench/workload"
)

// unseenWorkloads are the workloads that are also sent as documents that no server has
// seen before.
var unseenWorkloads = []string{workload.Range, workload.Five}

// measuredFrom is the number of the first measured request; warm-up requests have
// lower ones.
const measuredFrom = 1 << 30

// load warms up for half of the time, and then measures.
func (m *match) load(p *measure.Process, path string, clients int, body func(dst []byte, n int) []byte) (measure.Result, error) {
	l := measure.Load{Path: path, Body: body, Clients: clients, For: m.For / 2}
	if _, err := p.Run(l); err != nil {
		return measure.Result{}, err
	}
	l.Body = func(dst []byte, n int) []byte { return body(dst, measuredFrom+n) }
	l.For = m.For
	return p.Run(l)
}

// seen sends the sets of a workload over and over.
func (m *match) seen(p *measure.Process, c contestant, w *workload.Workload, clients int) (r measure.Result, err error) {
	bodies := make([][]byte, len(w.Sets))
	for n, v := range w.Sets {
		if bodies[n], err = c.body(w, v); err != nil {
			return r, err
		}
	}
	return m.load(p, c.path(w), clients, func(dst []byte, n int) []byte { return append(dst, bodies[n%len(bodies)]...) })
}

// unseen sends the sets with their values in the document, each with a different last
// block beyond the stored ones, so that the answers stay the same.
func (m *match) unseen(p *measure.Process, c contestant, w *workload.Workload) (r measure.Result, err error) {
	list, last := make([]workload.Varying, len(w.Sets)), uint64(0)
	for n, v := range w.Sets {
		if list[n], err = c.unseen(w, v); err != nil {
			return r, err
		}
		last = max(last, v.ToBlock)
	}
	return m.load(p, c.path(w), m.Clients, func(dst []byte, n int) []byte { return list[n%len(list)](dst, last+uint64(n)) })
}
