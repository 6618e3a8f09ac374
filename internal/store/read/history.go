package read

import (
	"errors"
	"sync"

	"mintburn/ent/setting"
	"mintburn/internal/store/tables"
)

// numbers caches the contracts of one history, whose rows never change their address.
type numbers struct {
	history string
	// contracts contains both directions: int64 → evm.Address and back.
	contracts sync.Map
}

// errOtherHistory is the error of a snapshot that began with cached numbers which belong to
// other contracts in its own history.
var errOtherHistory = errors.New("the database has lost commits or was replaced: read again")

// storedHistory is the expression of the stored history, and selectHistory the statement that
// opens a snapshot.
const (
	storedHistory = "(SELECT " + setting.FieldValue + " FROM " + setting.Table + " WHERE " + setting.FieldID + " = '" + tables.History + "')"
	selectHistory = "SELECT " + storedHistory
)
