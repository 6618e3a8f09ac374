package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
	"mintburn/internal/testing/pgtest"
)

// PostGraphile derives its own schema from the tables; these are the same requests in that
// schema. A range begins at a position, so that PostgreSQL does not scan from the start
// of the collection.
const (
	peerPage = ` { pageInfo { endCursor hasNextPage } nodes { tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex ` +
		`from to amount operator timestamp blockTime } }`
	peerToken = ` { nodes { collectionAddress collectionType tokenId externalUrl imageData backgroundColor youtubeUrl updatedAt ` +
		`name description image animationUrl attributes } }`
	peerByBlock = `allMints(condition: { blockNumber: $block }, orderBy: POSITION_ASC, first: 20)` + peerPage
	peerInRange = `condition: { tokenAddress: $address }, filter: { position: { greaterThanOrEqualTo: $from, lessThan: $before } }, ` +
		`orderBy: POSITION_ASC`
	peerByTx    = `allMints(condition: { tokenAddress: $txAddress, transactionHash: $tx }, orderBy: POSITION_ASC, first: 20)` + peerPage
	peerByToken = `allBurns(condition: { tokenAddress: $tokenAddress, tokenId: $tokenId }, orderBy: POSITION_ASC, first: 20)` + peerPage
	peerTokenOf = `allTokens(condition: { collectionAddress: $metadataAddress }, orderBy: PRIMARY_KEY_ASC, first: 1)` + peerToken
	peerRange   = `$address: String!, $from: BigInt!, $before: BigInt!`
	peerCursors = `query(` + peerRange + `, $first: Int!) { burns: allBurns(` + peerInRange + `, first: $first) { edges { cursor } } }`
)

const (
	peerAmounts = ` state contractType minted burned supply }`
	peerNewest  = `query($position: BigInt!) { collections: allCollections(filter: { firstPosition: { lessThan: $position } }, ` +
		`orderBy: FIRST_POSITION_DESC, first: 20) { nodes { address contractType mintedItems burnedItems `
)

// peerDocuments holds the documents by the paths of the workloads.
var peerDocuments = map[string]string{
	"block":    `query($block: Int!) { mints: ` + peerByBlock + ` }`,
	"range":    `query(` + peerRange + `) { burns: allBurns(` + peerInRange + `, first: 20)` + peerPage + ` }`,
	"deep":     `query(` + peerRange + `, $after: Cursor) { burns: allBurns(` + peerInRange + `, first: 20, after: $after)` + peerPage + ` }`,
	"tx":       `query($txAddress: String!, $tx: String!) { mints: ` + peerByTx + ` }`,
	"token":    `query($tokenAddress: String!, $tokenId: String!) { burns: ` + peerByToken + ` }`,
	"metadata": `query($metadataAddress: String!) { tokenMetadata: ` + peerTokenOf + ` }`,
	"total": `query(` + peerRange + `) { mints: allMints(condition: { tokenAddress: $address }, ` +
		`filter: { position: { greaterThanOrEqualTo: $from, lessThan: $before } }) { totalCount } }`,
	"five": `query($block: Int!, ` + peerRange + `, $txAddress: String!, $tx: String!, $tokenAddress: String!, $tokenId: String!, ` +
		`$metadataAddress: String!) { byBlock: ` + peerByBlock + ` byRange: allBurns(` + peerInRange + `, first: 20)` + peerPage +
		` byTx: ` + peerByTx + ` byToken: ` + peerByToken + ` metadata: ` + peerTokenOf + ` }`,
	"hundred": `query(` + peerRange + `, $first: Int!) { burns: allBurns(` + peerInRange + `, first: $first)` + peerPage + ` }`,
	"list":    `query($addresses: [String!]!) { burns: allBurns(filter: { tokenAddress: { in: $addresses } }, orderBy: POSITION_ASC, first: 20)` + peerPage + ` }`,
	"time": `query($address: String!, $fromTime: Int!, $toTime: Int!) { burns: allBurns(condition: { tokenAddress: $address }, ` +
		`filter: { blockTime: { greaterThanOrEqualTo: $fromTime, lessThanOrEqualTo: $toTime } }, orderBy: [BLOCK_TIME_ASC, POSITION_ASC], first: 20)` + peerPage + ` }`,
	"buckets": `query($address: String!, $fromTime: Int!, $toTime: Int!) { mints: mintHours(collection: $address, since: $fromTime, until: $toTime) ` +
		`{ nodes { fromTime totalItems } } }`,
	"amounts": `query($tokenAddress: String!, $tokenId: String!) { token: amountByAddressAndTokenId(address: $tokenAddress, tokenId: $tokenId) {` + peerAmounts + ` }`,
	"tokens":  `query($keys: [TokenKeyInput!]!) { tokens: amountsOf(keys: $keys) { nodes {` + peerAmounts + ` } }`,
	"collection": `query($address: String!) { collection: collectionByAddress(address: $address) ` +
		`{ contractType mintedItems burnedItems supply } }`,
	"collections": peerNewest + `} } }`,
	"nested":      peerNewest + `mints: mintsByTokenAddress(orderBy: POSITION_ASC, first: 3) { nodes { tokenId to transactionHash timestamp } } } } }`,
}

// enterPostGraphile starts a PostgreSQL server and fills it.
func enterPostGraphile(ctx context.Context, path string) (c contestant, err error) {
	dsn, postmaster, stop, err := pgtest.Start(ctx)
	if err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			stop()
		}
	}()
	if err := copyToPostgres(ctx, path, dsn); err != nil {
		return c, err
	}
	cursors := map[int64]string{}
	c = contestant{name: onPostGraphile, besides: []int{postmaster}, otherPages: true, stop: stop}
	c.body = func(w *workload.Workload, v workload.Variables) ([]byte, error) {
		literals := peerLiterals(v)
		literals["after"] = quoted(cursors[v.Position])
		return peerRequest(peerDocuments[w.Path], literals)
	}
	c.unseen = func(w *workload.Workload, v workload.Variables) (workload.Varying, error) {
		// An additional bound, which differs in each request.
		document := strings.ReplaceAll(peerDocuments[w.Path], "lessThan: $before }", "lessThan: $before }, blockNumber: { lessThanOrEqualTo: $toBlock }")
		return workload.Inline(document, peerLiterals(v))
	}
	c.prepare = func(p *measure.Process, m *match) error { return askCursors(p, m, cursors) }
	c.command, err = peer(ctx, "postgraphile.js", dsn)
	return c, err
}

// peerLiterals returns the values of a set, with a range as positions.
func peerLiterals(v workload.Variables) map[string]json.RawMessage {
	literals := v.Literals()
	literals["from"], literals["before"], literals["position"] = quoted(v.FromBlock<<30), quoted((v.ToBlock+1)<<30), quoted(v.Position)
	return literals
}

// quoted returns a value as a JSON string, which is the form of BigInt too.
func quoted(value any) json.RawMessage { return fmt.Appendf(nil, "%q", fmt.Sprint(value)) }

// peerRequest returns the request of a set, with the variables that the document
// declares.
func peerRequest(document string, literals map[string]json.RawMessage) ([]byte, error) {
	declared, _, _ := strings.Cut(document, "{")
	maps.DeleteFunc(literals, func(name string, _ json.RawMessage) bool { return !strings.Contains(declared, "$"+name+":") })
	return json.Marshal(map[string]any{"query": document, "variables": literals})
}

// askCursors fetches the cursors of the 1,000th page.
func askCursors(p *measure.Process, m *match, cursors map[int64]string) error {
	sets := m.workload(workload.Deep).Sets
	v := sets[0]
	v.First = len(sets)
	literals := peerLiterals(v)
	// This starts at the record of the first set, not at its block.
	literals["from"] = quoted(v.Position)
	body, err := peerRequest(peerCursors, literals)
	if err != nil {
		return err
	}
	text, err := p.Ask("/graphql", body)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Burns struct{ Edges []struct{ Cursor string } }
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	if n := len(answer.Data.Burns.Edges); n != len(sets) {
		return fmt.Errorf("%d cursors, want %d", n, len(sets))
	}
	for i, edge := range answer.Data.Burns.Edges {
		cursors[sets[i].Position] = edge.Cursor
	}
	return nil
}
