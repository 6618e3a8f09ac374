package chain

import "mintburn/internal/evm"

// SetMaxLine lowers the bound on lines.
func (r *Recording) SetMaxLine(n int) { r.maxLine = n }

// ReadAhead bounds how far reading is ahead of the items, in bytes of text:
// what waits, the chunk being filled, and that being taken.
const ReadAhead = readAhead + 4*chunkSize

// NewLineDecoder returns a function that reads one line, for fuzzing and
// benchmarks.
func NewLineDecoder() func(line []byte) (Item, error) {
	d := newDecoder()
	return func(line []byte) (item Item, err error) {
		err = d.decode(line, &item)
		return item, err
	}
}

// The kinds of refusals, for the table of what nodes say.
const (
	Temporary    = kindTemporary
	Rate         = kindRate
	Size         = kindSize
	Slow         = kindSlow
	Batch        = kindBatch
	Unsupported  = kindUnsupported
	UnknownBlock = kindUnknownBlock
	BeyondHead   = kindBeyondHead
	Pruned       = kindPruned
	Refused      = kindRefused
)

// Classify is classify, and what it found of limits.
func Classify(code int, message string, inBatch bool) (kind kind, limit, size uint64) {
	r := classify(code, message, inBatch)
	return r.kind, r.limit, r.size
}

// AnyShape is anyShape.
func AnyShape() []evm.Hash { return anyShape() }
