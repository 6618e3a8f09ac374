package chain

import (
	"fmt"

	"mintburn/internal/evm"
)

// blockClaim is what a log or receipt says of the block it is in; nodes leave
// it null while the block is pending. All of a line must say the same, and what
// the header says: in whatever order they come.
type blockClaim struct {
	hash      evm.Hash
	number    uint64
	time      uint64
	hasHash   bool
	hasNumber bool
	hasTime   bool
}

// read reads the value of fieldLogBlockHash, fieldLogBlockNumber or
// fieldLogBlockTime.
func (c *blockClaim) read(field int, raw []byte) (err error) {
	if isNull(raw) {
		return nil
	}
	switch field {
	case fieldLogBlockHash:
		c.hasHash = true
		return within("blockHash", decodeFixed(c.hash[:], raw))
	case fieldLogBlockTime:
		c.hasTime = true
		c.time, err = quantity(raw, evm.MaxLong)
		return within("blockTimestamp", err)
	}
	c.hasNumber = true
	c.number, err = quantity(raw, MaxBlockNumber)
	return within("blockNumber", err)
}

// join adds another claim to c.
func (c *blockClaim) join(other blockClaim) error {
	if other.hasHash {
		if c.hasHash && c.hash != other.hash {
			return fmt.Errorf("blockHash %s differs from %s of an earlier one", other.hash, c.hash)
		}
		c.hash, c.hasHash = other.hash, true
	}
	if other.hasNumber {
		if c.hasNumber && c.number != other.number {
			return fmt.Errorf("blockNumber %d differs from %d of an earlier one", other.number, c.number)
		}
		c.number, c.hasNumber = other.number, true
	}
	return nil
}

// check holds c against the header.
func (c *blockClaim) check(header *evm.Header) error {
	if c.hasHash && c.hash != header.Hash {
		return fmt.Errorf("logs or receipts of block %s beside block %s", c.hash, header.Hash)
	}
	if c.hasNumber && c.number != header.Number {
		return fmt.Errorf("logs or receipts of block number %d beside block number %d", c.number, header.Number)
	}
	return nil
}
