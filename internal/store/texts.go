package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// readTexts completes tokens that were read with their page: it reads the texts
// of those that are not light, if all fit, the attributes and the trait counts.
// requested are the tokens in the order in which they are counted to fit, nil for
// items of which nothing is known; argument is the page's, or "".
func readTexts(ctx context.Context, s *Snapshot, items, requested []*Token, texts Texts, argument string) error {
	var total int64
	for _, t := range items {
		total += t.bytes
	}
	left, fit, err := take(s, total)
	if err != nil {
		return err
	}
	if !fit {
		return tooHeavy(requested, total, left, argument)
	}
	if err := readHeavy(ctx, s, items, texts); err != nil {
		return fmt.Errorf("reading the texts of tokens: %w", err)
	}
	if texts&TextAttributes == 0 {
		return nil
	}
	for _, t := range items {
		if t.undocumented {
			continue
		}
		if t.Attributes, err = parseAttributes(t.attributes); err != nil {
			return fmt.Errorf("reading the attributes of %s %s: %w", t.Contract, t.TokenID, err)
		}
	}
	if texts&TraitCounts == 0 {
		return nil
	}
	return countTraits(ctx, s, items)
}

// tokenKey names a token as its row does.
type tokenKey struct {
	contractID int64
	tokenID    evm.Uint256
}

// take takes memory for texts, or reports that they do not fit into what is left.
func take(s *Snapshot, n int64) (left int64, fit bool, err error) {
	if s.hold == nil {
		return 0, true, nil
	}
	// Few bytes wait for more.
	if s.unheld.Add(n) < heldStep {
		return 0, true, nil
	}
	excess, err := s.hold(s.unheld.Swap(0))
	return max(0, n-excess), excess == 0, err
}

// readHeavy reads the texts of tokens that are not light.
func readHeavy(ctx context.Context, s *Snapshot, items []*Token, texts Texts) error {
	var documents, failed pairs
	byKey := map[tokenKey]*Token{}
	for _, t := range items {
		if !t.heavy {
			continue
		}
		wanted := &documents
		if t.undocumented {
			wanted = &failed
		}
		wanted.add(t.contractID, t.TokenID.Bytes())
		byKey[tokenKey{t.contractID, t.TokenID}] = t
	}
	columns := texts.columns([]string{token.FieldContractID, token.FieldTokenID})
	err := eachOf(ctx, s, statementKey{name: "texts of tokens", texts: texts}, documents, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Token.Query().Where(part.where(token.FieldTokenID)).Select(columns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Token
		err := found.ReadRow(row, columns...)
		if t := byKey[tokenKey{found.ContractID, found.TokenID}]; err == nil {
			t.setTexts(&found)
		}
		return err
	})
	if err != nil {
		return err
	}
	failedColumns := []string{resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldURI}
	return eachOf(ctx, s, statementKey{name: "URIs of failed tokens"}, failed, func(client *ent.Client, part pairs) entsql.Querier {
		return client.Resolution.Query().Where(part.where(resolution.FieldTokenID)).Select(failedColumns...).Selector()
	}, func(row *database.Row) error {
		var found ent.Resolution
		err := found.ReadRow(row, failedColumns...)
		if t := byKey[tokenKey{found.ContractID, found.TokenID}]; err == nil {
			t.URI = *found.URI
		}
		return err
	})
}

// tooHeavy refuses texts of which only so many bytes are left to be read.
func tooHeavy(requested []*Token, total, left int64, argument string) error {
	fit, bytes := 0, int64(0)
	counted := make(map[*Token]bool, len(requested))
	for _, t := range requested {
		if t != nil && !counted[t] {
			counted[t] = true
			bytes += t.bytes
		}
		if bytes <= left {
			fit++
		}
	}
	mib := func(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	message := fmt.Sprintf("the selected texts of %d tokens have %s, and the request may read %s more: ", len(counted), mib(total), mib(left))
	switch {
	case fit == 0:
		message += "not one fits; ask for fewer texts or tokens"
	case argument == "":
		message += fmt.Sprintf("the first %d fit; ask for fewer texts or tokens", fit)
	default:
		message += fmt.Sprintf("the %s %d fit; ask for %s: %d", argument, fit, argument, fit)
	}
	err := nft.Errorf(nft.QueryTooCostly, "%s", message)
	err.Details = map[string]any{"fit": fit}
	return err
}
