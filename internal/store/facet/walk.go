package facet

import (
	"context"
	"encoding/json"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/tables"
)

// Walk is the position of a walk through the documents of a database, by collection and token
// id. The setting with its name exists until the walk ends, so that any process can continue it.
type Walk struct {
	ContractID int64        `json:"contract"`
	Token      *evm.Uint256 `json:"token"`
	// Done means that there are no more documents to visit.
	Done bool `json:"done,omitempty"`
}

// passed reports whether the walk has visited the document of a token, or would have if there
// had been one. A nil walk has visited all.
func (w *Walk) passed(token tables.TokenKey) bool {
	if w == nil || w.Done || token.ContractID < w.ContractID {
		return true
	}
	return token.ContractID == w.ContractID && w.Token != nil && token.TokenID.Cmp(*w.Token) <= 0
}

// stepDocuments is how many documents a step of a walk visits, so that other writers wait only
// briefly.
const stepDocuments = 200

// step calls visit for each of the next documents, and returns the position after them. If
// there are no more, it returns done.
func (w Walk) step(ctx context.Context, tx *database.Tx, visit func(tables.TokenKey, []nft.Attribute)) (to *Walk, done bool, err error) {
	after := []byte{} // Sorts before all token ids.
	if w.Token != nil {
		after = w.Token.Bytes()
	}
	b := tx.Builder()
	next := b.Select(token.FieldContractID, token.FieldTokenID, token.FieldAttributes).From(b.Table(token.Table)).
		Where(entsql.CompositeGT([]string{token.FieldContractID, token.FieldTokenID}, w.ContractID, after)).
		OrderBy(token.FieldContractID, token.FieldTokenID).Limit(stepDocuments)
	visited := 0
	err = tx.Query(ctx, next, func(row *database.Row) error {
		var key tables.TokenKey
		key.ContractID = row.Int64()
		row.Scan(&key.TokenID)
		var attributes []nft.Attribute
		// Damaged attributes count nothing, as when they are removed.
		if json.Unmarshal([]byte(row.Text()), &attributes) == nil {
			visit(key, attributes)
		}
		w = Walk{ContractID: key.ContractID, Token: &key.TokenID}
		visited++
		return row.Err()
	})
	return &w, visited < stepDocuments, err
}
