package tables

const (
	// SlotBits is how many bits of a position hold the place within the block.
	SlotBits = 30
	// MaxBlock is the largest block number that can be stored: a position has
	// room for it, with one to spare at the end.
	MaxBlock = 1<<33 - 2
	// MaxPosition is the last position.
	MaxPosition = MaxBlock<<SlotBits | (1<<SlotBits - 1)
)

// FirstIn returns the first position of a block, which must be at most
// [MaxBlock].
func FirstIn(block uint64) int64 { return int64(block) << SlotBits }

// LastIn returns the last position of a block. It holds no record.
func LastIn(block uint64) int64 { return FirstIn(block) | (1<<SlotBits - 1) }

// BlockOf returns the block of a position.
func BlockOf(position int64) uint64 { return uint64(position) >> SlotBits }
