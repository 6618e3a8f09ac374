package store

import (
	"context"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/nft"
)

// Metadata returns what [Snapshot.MetadataOf] does for the tokens of the page's
// records. The first call reads it for the whole page, with a constant number of
// statements, and the texts that texts returns.
func (p *Page) Metadata(ctx context.Context, texts func(context.Context) Texts) (map[nft.TokenKey]*Token, error) {
	p.metadataOnce.Do(func() {
		keys := make([]nft.TokenKey, len(p.Items))
		for i := range p.Items {
			keys[i] = nft.TokenKey{Contract: p.Items[i].Contract, TokenID: p.Items[i].TokenID}
		}
		if p.backward {
			slices.Reverse(keys)
		}
		p.metadata, p.metadataErr = metadataOf(ctx, p.snapshot, keys, texts(ctx), p.argument())
	})
	return p.metadata, p.metadataErr
}

// MetadataOf returns what is known of the given tokens' metadata: their
// documents, with these texts, and why there is none. Tokens that were never tried
// are absent. Texts that the snapshot's bound refuses are an [nft.Error] with the
// code QUERY_TOO_COSTLY.
func (s *Snapshot) MetadataOf(ctx context.Context, keys []nft.TokenKey, texts Texts) (map[nft.TokenKey]*Token, error) {
	return metadataOf(ctx, s, keys, texts, "")
}

func metadataOf(ctx context.Context, s *Snapshot, keys []nft.TokenKey, texts Texts, argument string) (map[nft.TokenKey]*Token, error) {
	found := map[nft.TokenKey]*Token{}
	wanted, err := pairsOf(ctx, s, keys, found)
	if err != nil {
		return nil, err
	}
	var items []*Token
	for part := range slices.Chunk(wanted, maxArgs) {
		text := s.store.statement(statementKey{name: "tokens", limit: len(part), texts: texts}, func(client *ent.Client) entsql.Querier {
			return selectTokens(client.Token.Query().Where(part.where(token.FieldTokenID)), texts)
		})
		more, _, err := readTokens(ctx, s, text, part.args(s.store.db.Dialect()), len(part)/2, texts)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	for _, t := range items {
		found[t.TokenKey] = t
	}
	missing, err := pairsOf(ctx, s, keys, found)
	if err != nil {
		return nil, err
	}
	failed, err := failedTokens(ctx, s, missing, texts)
	if err != nil {
		return nil, err
	}
	for _, t := range failed {
		found[t.TokenKey] = t
	}
	requested := make([]*Token, len(keys))
	for i, key := range keys {
		requested[i] = found[key]
	}
	return found, readTexts(ctx, s, append(items, failed...), requested, texts, argument)
}

// pairsOf returns what names the given tokens in a statement, but for those that
// are found already, and those of contracts that no record or document named.
func pairsOf(ctx context.Context, s *Snapshot, keys []nft.TokenKey, found map[nft.TokenKey]*Token) (pairs, error) {
	var wanted pairs
	seen := make(map[nft.TokenKey]bool, len(keys))
	for _, key := range keys {
		if seen[key] || found[key] != nil {
			continue
		}
		seen[key] = true
		id, known, err := contractID(ctx, s, key.Contract)
		if err != nil {
			return nil, err
		}
		if known {
			wanted.add(id, key.TokenID.Bytes())
		}
	}
	return wanted, nil
}
