package jsonrpc

import "mintburn/internal/chain/jsonrpc/rpcerror"

// pace chooses the number of blocks in an endpoint's next range: fewer after an
// error, slowly more after answers.
type pace struct {
	// step is the number of blocks in the next range, from 1 to limit.
	step uint64
	// limit is the most blocks in a range. If the endpoint names its own limit, limit is
	// lowered permanently.
	limit uint64
	// good is the number of blocks in the largest range answered since the last error.
	good uint64
	// calm is the number of answers to wait for before step grows again, so that an
	// unnamed limit costs one error in many answers.
	calm int
	// target is the number of logs that an answer should contain.
	target int
}

// calmAnswers is the number of answers after an error before a larger range is tried.
const calmAnswers = 16

// shrink lowers step after an error for a range of asked blocks, and reports whether a
// smaller range exists.
func (p *pace) shrink(asked uint64, r rpcerror.Info) bool {
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

// grow adjusts step after an answer with logs logs to a range of asked blocks.
func (p *pace) grow(asked uint64, logs int) {
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
