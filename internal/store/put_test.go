package store_test

import (
	"database/sql"
	"strings"
	"testing"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestPutMetadata_NewDatabase checks that PostgreSQL, without statistics, reads only the rows of the tokens
// whose documents are stored, however many the collection has.
func TestPutMetadata_NewDatabase(t *testing.T) {
	skipShort(t)
	dsn, sent := storetest.Postgres(t), &statements{}
	s := open(t, dsn, write.Options{Options: database.Options{OnStatement: sent.add}})
	put := func(from, n uint64) {
		var items []nft.TokenMetadata
		for id := from; id < from+n; id++ {
			items = append(items, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(id)}, FetchedAt: 1, Raw: "{}"})
		}
		expect.NoError(t, s.PutMetadata(t.Context(), items))
	}
	put(0, 4000)
	sent.take()
	put(3900, 200)
	db, err := sql.Open("pgx", dsn)
	expect.NoError(t, err)
	defer db.Close()
	looked := 0
	for _, st := range sent.take() {
		if strings.Contains(st.query, "WHERE contract_id = k.n AND token_id = k.b") {
			checkPlan(t, db, st, "tokens", "resolutions")
			looked++
		}
		// Rows that are found are read by their ids, which PostgreSQL knows to be unique.
		if strings.Contains(st.query, `"token_id" IN`) {
			t.Errorf("%s\nlooks for a list of tokens", st.query)
		}
	}
	if looked < 2 {
		t.Errorf("%d statements look for tokens", looked)
	}
}
