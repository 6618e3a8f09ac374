package command

import "sync"

// pending is the batch that is read while the last one is stored. One goroutine
// adds to it, another takes it.
type pending struct {
	mu sync.Mutex // guards what follows
	// changed tells each of the two what the other did.
	changed sync.Cond
	batch   batch
	// full is how many records fill a batch.
	full int
	// ended says that nothing will be added, refused that nothing will be taken.
	ended, refused bool
}

func newPending(full int) *pending {
	p := &pending{full: full}
	p.changed.L = &p.mu
	return p
}

// add waits until the batch is not full and lets f add to it. It does nothing
// once batches are refused.
func (p *pending) add(f func(*batch) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.batch.full(p.full) && !p.refused {
		p.changed.Wait()
	}
	if p.refused {
		return nil
	}
	defer p.changed.Broadcast()
	return f(&p.batch)
}

// end says that nothing more will be added.
func (p *pending) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.changed.Broadcast()
}

// refuse says that nothing more will be taken. It ends both waits.
func (p *pending) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = true
	p.changed.Broadcast()
}

// take waits for enough to be worth a transaction, or for the end. A full batch
// is always enough: nothing can be added to it. It reports false when everything
// was taken or batches are refused.
func (p *pending) take() (b batch, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.batch.some() && !p.batch.full(p.full) && !p.ended && !p.refused {
		p.changed.Wait()
	}
	if p.refused {
		return batch{}, false
	}
	b, p.batch = p.batch, batch{}
	p.changed.Broadcast()
	return b, !b.empty()
}
