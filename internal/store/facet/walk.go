package facet

import (
	"context"
	"encoding/json"
	"errors"

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

// A step of a walk visits at most stepDocuments documents, and none after stepBytes of
// attributes, so that it needs little memory and other writers wait only briefly.
const (
	stepDocuments = 200
	stepBytes     = 4 << 20
)

// errEnough ends a step.
var errEnough = errors.New("enough documents")

// Step calls visit for each of the next documents, and returns the position after them. If
// there are no more, it returns done.
func (w Walk) Step(ctx context.Context, tx *database.Tx, visit func(tables.TokenKey, []nft.Attribute)) (to *Walk, done bool, err error) {
	after := []byte{} // Sorts before all token ids.
	if w.Token != nil {
		after = w.Token.Bytes()
	}
	b := tx.Builder()
	next := b.Select(token.FieldContractID, token.FieldTokenID, token.FieldAttributes).From(b.Table(token.Table)).
		Where(entsql.CompositeGT([]string{token.FieldContractID, token.FieldTokenID}, w.ContractID, after)).
		OrderBy(token.FieldContractID, token.FieldTokenID).Limit(stepDocuments)
	visited, bytes := 0, 0
	err = tx.Query(ctx, next, func(row *database.Row) error {
		var key tables.TokenKey
		key.ContractID = row.Int64()
		row.Scan(&key.TokenID)
		var attributes []nft.Attribute
		// Damaged attributes count nothing, as when they are removed.
		text := row.Text()
		if json.Unmarshal([]byte(text), &attributes) == nil {
			visit(key, attributes)
		}
		w = Walk{ContractID: key.ContractID, Token: &key.TokenID}
		visited++
		if bytes += len(text); bytes > stepBytes && row.Err() == nil {
			return errEnough
		}
		return row.Err()
	})
	if errors.Is(err, errEnough) {
		return &w, false, nil
	}
	return &w, visited < stepDocuments, err
}
