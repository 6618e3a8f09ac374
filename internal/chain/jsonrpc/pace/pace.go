package pace

import "mintburn/internal/chain/jsonrpc/rpcerror"

// Pace chooses the number of blocks in an endpoint's next range: fewer after an
// error, slowly more after answers.
type Pace struct {
	// Step is the number of blocks in the next range, from 1 to Limit.
	Step uint64
	// Limit is the most blocks in a range. If the endpoint names its own limit, Limit is
	// lowered permanently.
	Limit uint64
	// good is the number of blocks in the largest range answered since the last error.
	good uint64
	// calm is the number of answers to wait for before Step grows again, so that an
	// unnamed limit costs one error in many answers.
	calm int
	// Target is the number of logs that an answer should contain.
	Target int
}

// calmAnswers is the number of answers after an error before a larger range is tried.
const calmAnswers = 16

// Shrink lowers Step after an error for a range of asked blocks, and reports whether a
// smaller range exists.
func (p *Pace) Shrink(asked uint64, r rpcerror.Info) bool {
	if r.Limit > 0 {
		p.Limit = min(p.Limit, r.Limit)
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
	p.Step = max(1, min(p.Step, next, p.Limit))
	p.good, p.calm = 0, calmAnswers
	return asked > 1
}

// Grow adjusts Step after an answer with logs logs to a range of asked blocks.
func (p *Pace) Grow(asked uint64, logs int) {
	p.good = max(p.good, asked)
	// The answer to a part of a step says nothing about the step.
	if logs > p.Target {
		p.Step = max(1, min(p.Step, asked*uint64(p.Target)/uint64(logs)))
		return
	}
	if p.calm > 0 {
		p.calm--
		return
	}
	if asked == p.Step && logs*5 <= p.Target*4 {
		p.Step = min(p.Limit, p.Step+p.Step/4+1)
	}
}
