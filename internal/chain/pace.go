package chain

// pace chooses how many blocks are asked for at a time from one endpoint:
// fewer after a refusal, slowly more after answers.
type pace struct {
	// step is the present number of blocks, from 1 to limit.
	step uint64
	// limit is the most blocks that are asked for; an endpoint that names its
	// own lowers it for good.
	limit uint64
	// good is the largest number that was answered since the last refusal.
	good uint64
	// calm counts the answers still to come before step grows again, so that a
	// limit that was not named costs one refusal in many answers.
	calm int
	// target is the number of logs that one answer should hold.
	target int
}

// calmAnswers is how many answers must follow a refusal before a larger range
// is tried.
const calmAnswers = 16

// shrink takes a refusal of asked blocks, and reports whether a smaller range
// is left to try.
func (p *pace) shrink(asked uint64, r refusal) bool {
	if r.limit > 0 {
		p.limit = min(p.limit, r.limit)
	}
	next := asked / 2
	switch {
	case r.size > 0 && r.size < asked:
		next = r.size
	case r.limit > 0 && r.limit < asked:
		next = r.limit
	case p.good > next && p.good < asked:
		next = p.good
	}
	p.step = max(1, min(p.step, next, p.limit))
	p.good, p.calm = 0, calmAnswers
	return asked > 1
}

// grow takes an answer to asked blocks that held logs.
func (p *pace) grow(asked uint64, logs int) {
	p.good = max(p.good, asked)
	// An answer of a part of a step says nothing about the whole.
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
