package store

import (
	"context"
	"encoding/json"
	"fmt"

	"mintburn/ent/token"
	"mintburn/internal/nft"
)

// removeOrphanedTokens removes what the queue and the documents know of the tokens
// whose every mint lies above a block, and returns the refreshes above it. The
// mints must still be there. A token that is minted again is a new one: another
// branch may have given it another document.
func (w *writer) removeOrphanedTokens(ctx context.Context, above uint64) error {
	const orphaned = `FROM mints m WHERE m.id >= ? AND NOT EXISTS (
		SELECT 1 FROM mints o WHERE o.contract_id = m.contract_id AND o.token_id = m.token_id AND o.id < ?)`
	from := firstIn(above + 1)
	var ids []int
	err := w.query(ctx, func(scan func(...any) error) error {
		var id int
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM tokens WHERE (contract_id, token_id) IN (SELECT m.contract_id, m.token_id `+orphaned+`)`, from, from)
	if err != nil {
		return fmt.Errorf("looking for tokens: %w", err)
	}
	for _, id := range ids {
		if err := w.removeDocument(ctx, id); err != nil {
			return fmt.Errorf("removing token metadata: %w", err)
		}
	}
	_, err = w.exec(ctx, `DELETE FROM resolutions WHERE (contract_id, token_id) IN (SELECT m.contract_id, m.token_id `+orphaned+`)`, from, from)
	if err != nil {
		return fmt.Errorf("removing tokens from the queue: %w", err)
	}
	return w.returnRefreshes(ctx, above)
}

// removeDocument removes a row of tokens and takes it out of the counts.
func (w *writer) removeDocument(ctx context.Context, id int) error {
	client := w.store.client(w.tx)
	row, err := client.Token.Query().Where(token.ID(id)).Only(ctx)
	if err != nil {
		return err
	}
	var attributes []nft.Attribute
	if err := json.Unmarshal([]byte(row.Attributes), &attributes); err != nil {
		return fmt.Errorf("reading stored attributes: %w", err)
	}
	w.documents.count(row.ContractID, attributes, -1)
	w.documents.tokens[row.ContractID]--
	return client.Token.DeleteOne(row).Exec(ctx)
}
