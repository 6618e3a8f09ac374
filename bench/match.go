package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
)

// manyClients is the number of connections after which memory is read.
const manyClients = 64

// match is one run.
type match struct {
	*runCommand
	log       io.Writer
	filled    imported
	workloads []workload.Workload
	// want holds all expected answers, answers the first answer of each workload.
	want    map[string][]want
	answers map[string]string
}

// want holds the hashes of an answer: of the whole, and of its items only.
type want struct{ whole, items [32]byte }

// workload returns the workload with a name.
func (m *match) workload(name string) *workload.Workload {
	return &m.workloads[slices.IndexFunc(m.workloads, func(w workload.Workload) bool { return w.Name == name })]
}

// columns returns the names of the workloads in order: those of the first tables, and the
// others.
func (m *match) columns() [][]string {
	var names []string
	for _, w := range m.workloads {
		names = append(names, w.Name)
	}
	return [][]string{names[:workload.Main], names[workload.Main:]}
}

// prepare fetches cursors, and all answers, from mintburn. The other contestants must return
// the same answers.
func (m *match) prepare(c contestant) (err error) {
	fmt.Fprintln(m.log, "fetching the answers")
	p, err := measure.Start(c.command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	path := c.path(&m.workloads[0])
	if err := workload.AddCursors(m.workloads, func(body []byte) ([]byte, error) { return p.Ask(path, body) }); err != nil {
		return err
	}
	return askAll(p, c, m.workloads, func(w *workload.Workload, n int, answer []byte) error {
		if n == 0 {
			m.answers[w.Path] = string(answer)
		}
		if w.Name == workload.Amounts && bytes.Contains(answer, []byte(`"minted":null`)) {
			return errors.New("amounts are unknown: the database was filled without --from-deployment")
		}
		all, err := whole(answer)
		if err != nil {
			return err
		}
		some, err := items(answer)
		m.want[w.Name] = append(m.want[w.Name], want{sha256.Sum256(all), sha256.Sum256(some)})
		return err
	})
}

// check sends a contestant each request of workloads once and compares the answers.
func (m *match) check(p *measure.Process, c contestant, list []workload.Workload) error {
	return askAll(p, c, list, func(w *workload.Workload, n int, answer []byte) error {
		if c.fixed {
			n = 0
		}
		spell, want := whole, m.want[w.Name][n].whole
		if c.otherPages {
			spell, want = items, m.want[w.Name][n].items
		}
		text, err := spell(answer)
		if err == nil && sha256.Sum256(text) != want {
			err = fmt.Errorf("%s %+v: the answer differs from ours: %.2000s", w.Name, w.Sets[n], text)
		}
		return err
	})
}

// askAll sends the request of each set of each workload that the contestant has, and calls f
// with the answers.
func askAll(p *measure.Process, c contestant, list []workload.Workload, f func(w *workload.Workload, n int, answer []byte) error) error {
	for i := range list {
		w := &list[i]
		if c.lacks(w) {
			continue
		}
		for n, v := range w.Sets {
			body, err := c.body(w, v)
			if err != nil {
				return err
			}
			answer, err := p.Ask(c.path(w), body)
			if err == nil {
				err = f(w, n, answer)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// run measures one contestant: the first workloads, then its memory, then the others, so
// that memory does not depend on them.
func (m *match) run(ctx context.Context, c contestant) (r contestantResult, err error) {
	fmt.Fprintf(m.log, "%s: starting\n", c.name)
	r = contestantResult{Name: c.name, Workloads: map[string]measure.Result{}, Unseen: map[string]measure.Result{}}
	if c.stop != nil {
		defer c.stop()
	}
	p, err := measure.Start(c.command, c.besides...)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	first := m.workload(workload.Range)
	body, err := c.body(first, first.Sets[0])
	if err != nil {
		return r, err
	}
	if _, err := p.Ask(c.path(first), body); err != nil {
		return r, err
	}
	r.Start = time.Since(p.Started)
	if c.prepare != nil {
		if err := c.prepare(p, m); err != nil {
			return r, err
		}
	}
	others := p.Others()
	if err := m.measured(ctx, p, c, m.workloads[:workload.Main], r.Workloads); err != nil {
		return r, err
	}
	if _, err := m.seen(p, c, first, manyClients); err != nil {
		return r, err
	}
	if r.Memory, err = p.Memory(); err != nil {
		return r, err
	}
	if c.unseen != nil {
		for _, name := range unseenWorkloads {
			if r.Unseen[name], err = m.unseen(p, c, m.workload(name)); err != nil {
				return r, err
			}
			fmt.Fprintf(m.log, "%s: %s, unseen: %s a request\n", c.name, name, r.Unseen[name].CPU)
		}
		if r.MemoryUnseen, err = p.Memory(); err != nil {
			return r, err
		}
	}
	if err := m.measured(ctx, p, c, m.workloads[workload.Main:], r.Workloads); err != nil {
		return r, err
	}
	r.Others, err = others()
	return r, err
}

// measured checks and measures workloads.
func (m *match) measured(ctx context.Context, p *measure.Process, c contestant, list []workload.Workload, results map[string]measure.Result) error {
	if err := m.check(p, c, list); err != nil {
		return err
	}
	for i := range list {
		w := &list[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.lacks(w) {
			continue
		}
		r, err := m.seen(p, c, w, m.Clients)
		if err != nil {
			return err
		}
		results[w.Name] = r
		fmt.Fprintf(m.log, "%s: %s: %s a request\n", c.name, w.Name, r.CPU)
	}
	return nil
}
