package tables

import (
	"fmt"

	"mintburn/internal/evm"
)

// CheckTopics fails unless stored topics are whole hashes.
func CheckTopics(topics []byte) error {
	if n := len(topics); n%len(evm.Hash{}) != 0 {
		return fmt.Errorf("topics of %d bytes: want 32 each", n)
	}
	return nil
}

// MaxArgs is the maximum number of arguments of a statement. It must be even. SQLite
// accepts 32,766.
const MaxArgs = 20_000
