package store_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// TestPage_DamagedRow: a row that holds what was never written is an error, and
// neither skipped nor shown.
func TestPage_DamagedRow(t *testing.T) {
	block := drop(10, collection(0), 1, 3)
	for column, value := range map[string]string{
		"token_id": "x'0500'", "tx_head": "'text'", "tx_tail": "x'01'", "account_head": "x'01'", "account_tail": "'text'",
		"amount": "7", "log_index": "-1", "sub_index": "5000000000", "operator": "x'0102'", "contract_id": "1.5",
	} {
		t.Run(column, func(t *testing.T) {
			dsn := sqliteDSN(t)
			s := open(t, dsn, store.Options{})
			apply(t, s, []nft.Block{block})
			if _, err := raw(t, dsn).Exec(fmt.Sprintf("UPDATE mints SET %s = %s WHERE log_index = 1", column, value)); err != nil {
				t.Fatal(err)
			}
			p, err := readPage(t.Context(), snapshot(t, s), store.Filter{}, store.PageArgs{})
			if err == nil || !strings.HasPrefix(err.Error(), "reading mints: ") {
				t.Errorf("got %v and error %v, want an error", p, err)
			}
		})
	}
}
