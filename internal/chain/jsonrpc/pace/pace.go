package pace

import (
	"sync"

	"mintburn/internal/chain/jsonrpc/rpcerror"
)

// Pace chooses the number of blocks in an endpoint's next range, and of addresses in its
// filters: fewer after an error, slowly more blocks after answers.
type Pace struct {
	// target is the number of logs that an answer should contain.
	target int

	// mu guards everything below.
	mu sync.Mutex
	// step is the number of blocks in the next range, from 1 to limit.
	step uint64
	// limit is the most blocks in a range. If the endpoint names its own limit, limit is
	// lowered permanently.
	limit uint64
	// addresses is the most addresses in a filter, 0 for any number.
	addresses int
	// good is the number of blocks in the largest range answered since the last error.
	good uint64
	// calm is the number of answers to wait for before step grows again, so that an
	// unnamed limit costs one error in many answers.
	calm int
}

// New returns a pace that begins with step blocks. A range has at most limit blocks, and its
// answer should contain target logs.
func New(step, limit uint64, target int) *Pace {
	return &Pace{step: step, limit: limit, target: target}
}

// Next returns the number of blocks in the next range, and the most addresses in a filter, 0
// for any number.
func (p *Pace) Next() (step uint64, addresses int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.step, p.addresses
}

// calmAnswers is the number of answers after an error before a larger range is tried.
const calmAnswers = 16

// Shrink lowers the number of blocks after an error for a range of asked blocks, and reports
// whether a smaller range exists.
func (p *Pace) Shrink(asked uint64, r rpcerror.Info) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Limit > 0 {
		p.limit = min(p.limit, r.Limit)
	}
	next := asked / 2
	switch {
	case r.Size > 0 && r.Size < asked:
		next = r.Size
	case r.Limit > 0 && r.Limit < asked:
		next = r.Limit
	case p.good > next && p.good < asked:
		next = p.good
	}
	p.step = max(1, min(p.step, next, p.limit))
	p.good, p.calm = 0, calmAnswers
	return asked > 1
}

// SplitAddresses halves the number of addresses in a filter, given the length of the longest
// list, and reports whether that was possible.
func (p *Pace) SplitAddresses(longest int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.addresses > 0 {
		longest = p.addresses
	}
	if longest < 2 {
		return false
	}
	p.addresses = longest / 2
	return true
}

// Restore sets what [Pace.Next] returns.
func (p *Pace) Restore(step uint64, addresses int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.addresses = min(step, p.limit), addresses
}

// Grow adjusts the number of blocks after an answer with logs logs to a range of asked blocks.
func (p *Pace) Grow(asked uint64, logs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.good = max(p.good, asked)
	// The answer to a part of a step says nothing about the step.
	if logs > p.target {
		p.step = max(1, min(p.step, asked*uint64(p.target)/uint64(logs)))
		return
	}
	if p.calm > 0 {
		p.calm--
		return
	}
	if asked == p.step && logs*5 <= p.target*4 {
		p.step = min(p.limit, p.step+p.step/4+1)
	}
}
