package store

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Token is a token with a mint or burn.
type Token struct {
	nft.TokenKey
	// Type is the standard of the latest record, and Latest its kind.
	Type   nft.ContractType
	Latest nft.Kind
	Subject
}

// MaxKeys bounds the keys of [Subjects.TokensOf].
const MaxKeys = 1000

// TokensOf returns the token of each key, with one statement. A token without a mint or burn
// is nil. More than [MaxKeys] keys are an [apierror.Error] with the code BAD_USER_INPUT.
func (in Subjects) TokensOf(ctx context.Context, keys []nft.TokenKey) ([]*Token, error) {
	s := in.snapshot
	if len(keys) > MaxKeys {
		return nil, apierror.Errorf(apierror.BadUserInput, "keys: got %d, want at most %d", len(keys), MaxKeys)
	}
	var addresses []evm.Address
	for i, key := range keys {
		if i == 0 || key.Contract != keys[i-1].Contract {
			addresses = append(addresses, key.Contract)
		}
	}
	ids, err := read.ContractIDs(ctx, s, addresses)
	if err != nil {
		return nil, err
	}
	l, found := &query.List{Name: "tokens"}, make(map[nft.TokenKey]*Token, len(keys))
	for _, key := range keys {
		if id, known := ids[key.Contract]; known && found[key] == nil {
			found[key] = &Token{TokenKey: key, Subject: Subject{contractID: id, tokenID: &key.TokenID}}
			l.Add(id, key.TokenID.Bytes())
		}
	}
	tokens := make([]*Token, len(keys))
	if len(l.N) == 0 {
		return tokens, nil
	}
	byRow := make(map[tables.TokenKey]*Token, len(found))
	for _, t := range found {
		byRow[tables.TokenKey{ContractID: t.contractID, TokenID: t.TokenID}] = t
	}
	err = tokensIn(ctx, s, query.Key{Name: "latest of tokens"}, len(l.N), func(b *entsql.Builder) {
		l.Table().As(b.WriteString("WITH k(n, b)"))
	}, l.Table().Args(s.DB.Database.Dialect()), func(n int64, id evm.Uint256, latest *latest) {
		t := byRow[tables.TokenKey{ContractID: n, TokenID: id}]
		t.Type, t.Latest, t.known = latest.typ, latest.kind, latest.known
	})
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		if t := found[key]; t != nil && t.Type != "" {
			tokens[i] = t
		}
	}
	return tokens, nil
}

// RequireToken explains why a token was not found: nil means that it has no record,
// otherwise the error has the code BLOCK_NOT_INDEXED or NOT_FOUND.
func (in Subjects) RequireToken(ctx context.Context, key nft.TokenKey) error {
	return read.RequireWhole(ctx, in.snapshot, "token "+key.TokenID.String()+" of "+key.Contract.String(), key.Contract)
}
