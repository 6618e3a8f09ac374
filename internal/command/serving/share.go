package serving

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/write"
)

// share returns what a page of Explore is about, from one snapshot with at most two statements.
func share(ctx context.Context, s *write.DB, shown page.Shown) (shared *page.Share, err error) {
	switch {
	case shown.Account != nil:
		return &page.Share{Title: "Account " + short(shown.Account.String()), Description: fmt.Sprintf("NFTs that %s minted and burned.", shown.Account)}, nil
	case shown.Transaction != nil:
		return &page.Share{Title: "Transaction " + short(shown.Transaction.String()), Description: fmt.Sprintf("NFTs minted and burned in transaction %s.", shown.Transaction)}, nil
	}
	snapshot := store.NewSnapshot(s.Snapshot())
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	if shown.Block != nil {
		return shareBlock(ctx, snapshot, *shown.Block)
	}
	return shareToken(ctx, snapshot, *shown.Collection, shown.TokenID)
}

func shareBlock(ctx context.Context, snapshot *store.Snapshot, block evm.BlockNumberOrHash) (*page.Share, error) {
	if block.Tag != "" {
		number, err := store.TaggedBlock(ctx, snapshot, block.Tag)
		return &page.Share{Block: &number}, err
	}
	indexed, err := store.HasBlock(ctx, snapshot, uint64(block.Number))
	if !indexed {
		return &page.Share{Title: fmt.Sprintf("Block %d is not indexed", block.Number), Description: "Mintburn has not indexed this block.", Missing: true}, err
	}
	return &page.Share{Title: fmt.Sprintf("Block %d", block.Number), Description: fmt.Sprintf("NFTs minted and burned in block %d.", block.Number)}, err
}

// shareToken is share for a collection or, with an id, one of its tokens.
func shareToken(ctx context.Context, snapshot *store.Snapshot, address evm.Address, id *evm.Uint256) (*page.Share, error) {
	key := nft.TokenKey{Contract: address}
	if id != nil {
		key.TokenID = *id
	}
	named, err := store.TitleOf(ctx, snapshot, key)
	if err != nil {
		return nil, err
	}
	title := "Collection " + short(address.String())
	of := "the collection at " + address.String()
	if named != nil && named.Collection != nil {
		title, of = *named.Collection, *named.Collection
	}
	if id == nil {
		description := fmt.Sprintf("The NFTs of %s.", of)
		if named != nil && named.Mints != nil && named.Burns != nil {
			description = fmt.Sprintf("%d mints and %d burns of %s.", *named.Mints, *named.Burns, of)
		}
		return &page.Share{Title: title, Description: description}, nil
	}
	var tokens []*store.Token
	if named != nil {
		if tokens, err = snapshot.Subjects().TokensOf(ctx, []nft.TokenKey{key}); err != nil {
			return nil, err
		}
	}
	title += " #" + short(id.String())
	if len(tokens) == 0 || tokens[0] == nil {
		return &page.Share{Title: title + " is not indexed", Description: "No mint or burn of this token is indexed.", Missing: true}, nil
	}
	if named.Token != nil {
		title = cmp.Or(nft.CleanName(*named.Token), title)
	}
	description := fmt.Sprintf("NFT %s of %s.", id, of)
	if tokens[0].Type == nft.ERC721 && tokens[0].Latest == nft.Burn {
		description += " It is burned."
	}
	return &page.Share{Title: title, Description: description}, nil
}

// short omits the middle of a long text.
func short(text string) string {
	if len(text) <= 14 {
		return text
	}
	return text[:6] + "…" + text[len(text)-4:]
}
