package wire

import (
	"fmt"

	"mintburn/internal/evm"
)

// Claim contains the block fields of a log or receipt, which are null while the block is
// pending.
type Claim struct {
	Hash                        evm.Hash
	Number, Time                uint64
	HasHash, HasNumber, HasTime bool
}

// read reads blockHash, blockNumber or blockTimestamp. A time that is 0 or malformed counts
// as missing, because the header has it too.
func (c *Claim) read(name string, raw []byte) (err error) {
	switch name {
	case "blockHash":
		err = c.Hash.UnmarshalJSON(raw)
		c.HasHash = err == nil
	case "blockNumber":
		c.Number, err = Quantity(raw, MaxBlockNumber)
		c.HasNumber = err == nil
	default:
		c.Time, _ = Quantity(raw, evm.MaxLong)
		c.HasTime = c.Time != 0
	}
	return err
}

// join adds another claim about the same block to c. It fails if hash or number differ.
func (c *Claim) join(other Claim) error {
	if other.HasHash {
		if c.HasHash && c.Hash != other.Hash {
			return fmt.Errorf("blockHash %s differs from %s of an earlier one", other.Hash, c.Hash)
		}
		c.Hash, c.HasHash = other.Hash, true
	}
	if other.HasNumber {
		if c.HasNumber && c.Number != other.Number {
			return fmt.Errorf("blockNumber %d differs from %d of an earlier one", other.Number, c.Number)
		}
		c.Number, c.HasNumber = other.Number, true
	}
	return nil
}

// Check compares c with the header of the block.
func (c *Claim) Check(header *evm.Header) error {
	if c.HasHash && c.Hash != header.Hash {
		return fmt.Errorf("logs or receipts of block %s with the header of block %s", c.Hash, header.Hash)
	}
	if c.HasNumber && c.Number != header.Number {
		return fmt.Errorf("logs or receipts of block number %d with the header of block number %d", c.Number, header.Number)
	}
	return nil
}
