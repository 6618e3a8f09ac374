package read

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"entgo.io/ent/dialect"

	"mintburn/ent/setting"
	"mintburn/internal/evm"
	"mintburn/internal/store/tables"
)

// A history is a sequence of commits without a fork. Two snapshots of one history agree on
// each number that the database gave to a contract, as far as both have it. PostgreSQL uses
// numbers again after a failover that lost commits, after a restore, and in a new database.
//
// Each transaction under the lease stores a random mark, and its process remembers the mark
// once the commit has succeeded. If the next transaction finds another one, then the former
// was lost, or another process has written since. It then begins a new history, and reads what it
// remembers again. Without the lease, each transaction that numbers a contract begins a new history.
//
// Whatever a process remembers by such a number belongs to the history that its snapshot
// reads: see [numbers]. Counter trees belong to the last commit, see package write, and the covered
// blocks to the last commit and the setting [tables.Deployment].
// Cursors and ids contain no numbers of the database, and ETags are hashes of answers.

// numbers caches the contracts of one history, whose rows never change their address.
type numbers struct {
	history string
	// contracts contains both directions: int64 → evm.Address and back.
	contracts sync.Map
	// covered is what was last read.
	covered atomic.Pointer[covered]
}

// covered are the blocks whose records are known in a state. It doesn't change.
type covered struct {
	state string
	// indexed are the indexed ranges.
	indexed []evm.Range
	// start is the first block that may have a record: 0, or the block stored by
	// the setting [tables.Deployment] unless a record contradicts it.
	start uint64
}

// errOtherHistory is the error of a snapshot that began with cached numbers which belong to
// other contracts in its own history.
var errOtherHistory = errors.New("the database has lost commits or was replaced: read again")

// storedHistory is the expression of the stored history, and selectHistory the statement that
// opens a snapshot. That of SQLite adds the last commit under the lease and the deployment, after
// spaces. What there is not is empty.
var (
	storedHistory = stored(tables.History)
	selectHistory = map[string]string{
		dialect.Postgres: "SELECT " + storedHistory,
		dialect.SQLite:   "SELECT " + storedHistory + " || ' ' || " + stored(tables.LastCommit) + " || ' ' || " + stored(tables.Deployment),
	}
)

func stored(name string) string {
	return fmt.Sprintf("COALESCE((SELECT %s FROM %s WHERE %s = '%s'), '')", setting.FieldValue, setting.Table, setting.FieldID, name)
}
