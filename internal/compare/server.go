package compare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/retrying"
	"mintburn/internal/store"
	"mintburn/internal/store/tables"
)

// Server is the index of a server, which it asks over HTTP.
type Server struct {
	// endpoint is the URL of its GraphQL, key the API key, "" for none.
	endpoint, key string
	// digests and records are how many of them a request asks for: fewer once that was too costly.
	digests, records int
}

// NewServer returns the index of the server at a URL, of the chain whose path the URL has. key is an API key, "" for
// none.
func NewServer(address, key string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("want the URL of a server, such as https://mintburn.example/base")
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/graphql")+"/graphql", ""
	return &Server{u.String(), key, atOnce, 1000}, nil
}

// State implements [Index].
func (s *Server) State(ctx context.Context) (State, error) {
	var answer struct {
		Chain *struct {
			ChainID                             *uint64
			BurnAddresses, Unindexed, Contracts []evm.Address
			RangeCap                            uint64
			Finalized                           struct{ Number *uint64 }
			IndexedRanges                       []struct{ FromBlock, ToBlock uint64 }
		}
	}
	err := s.ask(ctx, "{ chain { chainId burnAddresses unindexed rangeCap contracts finalized { number } indexedRanges { fromBlock toBlock } } }", nil, &answer)
	c := answer.Chain
	if err != nil || c == nil {
		return State{}, cmp.Or(err, errAnswer)
	}
	var indexed []evm.Range
	for i, r := range c.IndexedRanges {
		if r.FromBlock > r.ToBlock || r.ToBlock > tables.MaxBlock || i > 0 && r.FromBlock <= indexed[i-1].To || i == mostRanges {
			return State{}, errAnswer
		}
		indexed = append(indexed, evm.Range{From: r.FromBlock, To: r.ToBlock})
	}
	return stateOf(c.ChainID, c.Finalized.Number, nft.Decoding{BurnAddresses: c.BurnAddresses, Unindexed: c.Unindexed, RangeCap: c.RangeCap}, c.Contracts, indexed), nil
}

// Digests implements [Index].
func (s *Server) Digests(ctx context.Context, ranges []evm.Range) (all []store.Digests, err error) {
	for len(all) < len(ranges) {
		var answer struct{ Chain map[string]store.Digests }
		err := fewer(&s.digests, func(n int) error {
			query := "{ chain {"
			for i, r := range ranges[len(all):min(len(ranges), len(all)+n)] {
				query += fmt.Sprintf(" d%d: digest(fromBlock: %d, toBlock: %d) { mints burns }", len(all)+i, r.From, r.To)
			}
			return s.ask(ctx, query+" } }", nil, &answer)
		})
		if err == nil && len(answer.Chain) == 0 {
			err = errAnswer
		}
		if err != nil {
			return nil, err
		}
		for range answer.Chain {
			one, found := answer.Chain[fmt.Sprint("d", len(all))]
			if !found {
				return nil, errAnswer
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// Page implements [Index].
func (s *Server) Page(ctx context.Context, kind nft.Kind, r evm.Range, after *string) (list []Record, next *string, err error) {
	var answer struct {
		List *struct {
			Cursor *string
			Data   []json.RawMessage
		}
	}
	err = fewer(&s.records, func(n int) error {
		// An object of the answer has the members of a line in their order.
		query := fmt.Sprintf(`query($after: Cursor) { list: %ss(fromBlock: %d, toBlock: %d, first: %d, after: $after) { cursor data {
			token_address: tokenAddress contract_type: contractType token_id: tokenId block_hash: blockHash block_number: blockNumber
			transaction_hash: transactionHash log_index: logIndex from to amount operator timestamp block_time: blockTime sub_index: subIndex
		} } }`, kind, r.From, r.To, n)
		return s.ask(ctx, query, map[string]any{"after": after}, &answer)
	})
	if err != nil || answer.List == nil {
		return nil, nil, cmp.Or(err, errAnswer)
	}
	for _, object := range answer.List.Data {
		of := Record{Line: evm.Printable(string(object))}
		if json.Unmarshal(object, &of) != nil {
			return nil, nil, errAnswer
		}
		list = append(list, of)
	}
	return list, answer.List.Cursor, nil
}

// fewer calls ask with a number, and again with half of it while the server accepts only fewer.
func fewer(n *int, ask func(n int) error) error {
	for {
		err := ask(*n)
		// BAD_USER_INPUT: a server has a maximum size of pages.
		if code := codeOf(err); code != apierror.QueryTooCostly && code != apierror.BadUserInput || *n == 1 {
			return err
		}
		*n /= 2
	}
}

const (
	// mostTries is how often a request is sent to a server that asks for a pause, of at most mostPause each.
	mostTries, mostPause = 30, time.Minute
	// timeout bounds a request, mostAnswer the bytes of an answer, mostRanges the indexed ranges.
	timeout, mostAnswer, mostRanges = 2 * time.Minute, 64 << 20, 100_000
)

var errAnswer = errors.New("OTHER: got an answer that no server of Mintburn gives")

// answered is an error that a server answered with.
type answered struct {
	Message    string
	Extensions struct{ Code apierror.Code }
	// pause is how long the server wants to have none of our requests.
	pause time.Duration
}

// Error returns one line.
func (e *answered) Error() string {
	if e.Extensions.Code == "UNAUTHENTICATED" {
		return "OTHER: " + e.Message + " (--api-key-file)"
	}
	return "OTHER: " + e.Message
}

// codeOf returns the code of an error that a server answered with, "" for others.
func codeOf(err error) apierror.Code {
	if known := new(answered); errors.As(err, &known) {
		return known.Extensions.Code
	}
	return ""
}

// ask sends an operation and decodes its data. It waits while the server is busy or the quota is spent.
func (s *Server) ask(ctx context.Context, query string, variables map[string]any, data any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		err := s.send(ctx, body, data)
		known := new(answered)
		if codeOf(err) != apierror.RateLimited || !errors.As(err, &known) || tries == mostTries {
			return err
		}
		if err := retrying.Sleep(ctx, known.pause); err != nil {
			return err
		}
	}
}

// send sends a request once.
func (s *Server) send(ctx context.Context, body []byte, data any) error {
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("OTHER: the server does not answer: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return fmt.Errorf("OTHER: the server does not answer: %w", err)
	}
	answer := struct {
		Data   any
		Errors []answered
	}{Data: data}
	switch err := json.Unmarshal(text, &answer); {
	case len(answer.Errors) > 0:
		answer.Errors[0].pause = retrying.RetryAfter(response.Header, time.Now(), mostPause)
		return &answer.Errors[0]
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("OTHER: status %d of %s: want the URL of a server of Mintburn", response.StatusCode, s.endpoint)
	case err != nil:
		return errAnswer
	}
	return nil
}
