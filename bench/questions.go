package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
	"mintburn/internal/evm"
)

type questionsCommand struct {
	Records int    `help:"Mints and burns to generate, ${default} unless given." default:"10000000" placeholder:"N"`
	DB      string `help:"SQLite file to generate into, or to use if it exists; temporary unless given." placeholder:"PATH"`
	Sets    int    `help:"Sets of variables, ${default} unless given." default:"200" placeholder:"N"`
}

// Validate checks constraints that the flag types cannot express.
func (c *questionsCommand) Validate() error { return c.run().Validate() }

func (c *questionsCommand) run() *runCommand {
	return &runCommand{Records: c.Records, DB: c.DB, sampling: sampling{Clients: 1, For: time.Second, Sets: c.Sets}}
}

// Run measures lists, buckets, tokens and collections, and compares some with two of the
// workloads.
func (c *questionsCommand) Run(ctx context.Context) error {
	return withProgram(ctx, "", func(program, dir string) error { return c.measure(ctx, program, dir, os.Stdout, os.Stderr) })
}

// question is a document with sets of variables.
type question struct {
	name, document string
	sets           []map[string]any
	// beside is the question whose time this one's is divided by.
	beside string
}

const (
	onePage  = "page of 20"
	oneToken = "burns of a token"
	listSize = 100
)

// measure sends all questions with all of their sets, one request after the other.
func (c *questionsCommand) measure(ctx context.Context, program, dir string, out, log io.Writer) (err error) {
	db := cmp.Or(c.DB, filepath.Join(dir, "bench.db"))
	m, err := c.run().match(ctx, program, db, log)
	if err != nil {
		return err
	}
	us, err := enter(ctx, ours, program, db, c.Records, nil)
	if err != nil {
		return err
	}
	p, err := measure.Start(us.command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	path := us.path(m.workload(workload.Range))
	list, err := questions(m, func(body []byte) ([]byte, error) { return p.Ask(path, body) })
	if err != nil {
		return err
	}
	medians := map[string]time.Duration{}
	fmt.Fprintf(out, "%s. %d records; one client; ms a request, the median and the maximum of %d sets:\n\n| question | median | most | by |\n| --- | ---: | ---: | --- |\n", machine(), c.Records, c.Sets)
	times, err := askAll(ctx, p, path, list)
	if err != nil {
		return err
	}
	for i, q := range list {
		times := times[i]
		medians[q.name] = times[len(times)/2]
		by := ""
		if q.beside != "" {
			by = fmt.Sprintf("%.2f × %s", float64(medians[q.name])/float64(medians[q.beside]), q.beside)
		}
		fmt.Fprintf(out, "| %s | %.3f | %.3f | %s |\n", q.name, ms(medians[q.name]), ms(times[len(times)-1]), by)
	}
	return nil
}

// askAll returns the sorted times of each question in a second round of requests. The
// questions take turns, so that other work of the machine slows all of them alike.
func askAll(ctx context.Context, p *measure.Process, path string, list []question) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(list))
	for round := range 2 {
		for set := range list[0].sets {
			for i, q := range list {
				took, err := q.ask(p, path, set)
				if err := errors.Join(err, ctx.Err()); err != nil {
					return nil, fmt.Errorf("%s: %w", q.name, err)
				}
				if round == 1 {
					times[i] = append(times[i], took)
				}
			}
		}
	}
	for _, of := range times {
		slices.Sort(of)
	}
	return times, nil
}

// ask returns the time of a request with one set.
func (q *question) ask(p *measure.Process, path string, set int) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{"query": q.document, "variables": q.sets[set]})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	answer, err := p.Ask(path, body)
	took := time.Since(began)
	if err != nil || bytes.Contains(answer, []byte(`"errors"`)) {
		return 0, errors.Join(err, fmt.Errorf("got %.500s", answer))
	}
	return took, nil
}

// questions returns all questions, with the values of a match.
func questions(m *match, ask func(body []byte) ([]byte, error)) ([]question, error) {
	var answer struct {
		Data struct {
			Chain struct{ Head struct{ Timestamp uint64 } }
		}
	}
	text, err := ask([]byte(`{"query":"{ chain { head { timestamp } } }"}`))
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return nil, fmt.Errorf("asking for the head: %w", err)
	}
	head := answer.Data.Chain.Head.Timestamp
	ranges, tokens := m.workload(workload.Range).Sets, m.workload(workload.Token).Sets
	pages, keyed, listed, several, buckets := sets(ranges), sets(tokens), sets(ranges), sets(tokens), sets(ranges)
	for i := range ranges {
		pages[i] = map[string]any{"address": ranges[i].Address}
		keyed[i] = map[string]any{"address": tokens[i].TokenAddress, "tokenId": tokens[i].TokenID}
		var addresses []evm.Address
		var keys []map[string]any
		for k := range listSize {
			at := (i + k) % len(ranges)
			addresses = append(addresses, ranges[at].Address)
			keys = append(keys, map[string]any{"address": tokens[at].TokenAddress, "tokenId": tokens[at].TokenID})
		}
		listed[i], several[i] = map[string]any{"addresses": addresses}, map[string]any{"keys": keys}
		// 1,000 intervals, whatever the length of the chain, which may begin within them.
		buckets[i] = map[string]any{"address": ranges[i].Address, "from": head - head%3600 - 999*3600, "to": head}
	}
	const page = `{ data { tokenId blockNumber transactionHash from to amount timestamp } }`
	const tokenFields = `{ state contractType minted burned supply lastMint { blockNumber } }`
	return []question{
		{onePage, `query($address: Address!) { burns(address: $address) ` + page + ` }`, pages, ""},
		{"page of 20 of 100 collections", `query($addresses: [Address!]!) { burns(addresses: $addresses) ` + page + ` }`, listed, onePage},
		{"1,000 buckets", `query($address: Address!, $from: Long!, $to: Long!) { mints(address: $address, fromTime: $from, toTime: $to, partial: true, first: 0) ` +
			`{ buckets(interval: HOUR) { fromTime totalItems } } }`, buckets, ""},
		{oneToken, `query($address: Address!, $tokenId: BigInt!) { burns(address: $address, tokenId: $tokenId) ` + page + ` }`, keyed, ""},
		{"token", `query($address: Address!, $tokenId: BigInt!) { token(address: $address, tokenId: $tokenId) { state contractType } }`, keyed, oneToken},
		{"token with its amounts", `query($address: Address!, $tokenId: BigInt!) { token(address: $address, tokenId: $tokenId) ` + tokenFields + ` }`, keyed, oneToken},
		{"100 tokens", `query($keys: [TokenKey!]!) { tokens(keys: $keys) { state contractType } }`, several, ""},
		{"collection", `query($address: Address!) { collection(address: $address) { contractType mintedItems burnedItems supply ` +
			`documents { resolved pending failed untried } } }`, pages, ""},
	}, nil
}

func sets(of []workload.Variables) []map[string]any { return make([]map[string]any, len(of)) }
