package command_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mintburn/internal/testing/apitest"
)

const (
	// saturating is a number of clients that keeps the limiters of two servers full.
	// overloading is the number for ten times the operations that may run or wait, 4 and 512
	// on each server (docs/limits.md). Three in four of these clients send batches, which run
	// four operations at once.
	saturating, overloading = 48, 10 * 2 * (4 + 512) * 4 / 13
	// addresses is the number of addresses of the clients.
	addresses = 8
)

// mix is the load of a soak: clients that send all kinds of requests.
type mix struct {
	s *soak
	// known are values of finalized records, for questions.
	known []*strings.Replacer
	// end stops the clients after their current requests.
	end func()

	// tags contains the ETag of each URL that returned one.
	tags sync.Map

	mu      sync.Mutex // guards the fields below
	answers int
	// outcomes counts responses by outcome: ok, an error code, or a process that ended.
	outcomes map[string]int
}

// question is a request of the mix. Values replace names in capital letters.
type question struct {
	path, body string
	// codes are the errors that the response may have. With refused, it must have one.
	codes   string
	refused bool
}

// soakDocuments contain every root field and the filters.
var soakDocuments = []string{
	`{ mints(first: 100) { totalItems cursor data { TRANSFER metadata { name raw attributes { traitType value } } } } }`,
	`{ burns(last: 100) { totalItems edges { cursor node { TRANSFER } } pageInfo { hasNextPage } } }`,
	`{ mints(order: DESC, first: 1000) { data { TRANSFER } } chain { head { number } gaps { fromBlock } } }`,
	`{ a: mints(block: BLOCK) { data { TRANSFER } } b: burns(block: "HASH") { totalItems } }`,
	`{ burns(address: "ADDRESS", fromBlock: 0, toBlock: BLOCK) { totalItems data { TRANSFER } } }`,
	`{ mints(address: "ADDRESS", transactionHash: "TX") { data { TRANSFER } } mints2: mints(transactionHashes: ["TX"]) { totalItems } }`,
	`{ burns(address: "ADDRESS", tokenId: "TOKEN") { totalItems } mints(tokens: [{address: "ADDRESS", tokenId: "TOKEN"}]) { totalItems data { id } } }`,
	`{ mints(account: "ACCOUNT", order: DESC) { totalItems data { TRANSFER token { supply } } } burns(accounts: ["ACCOUNT"]) { totalItems } }`,
	`{ mints(addresses: ["ADDRESS"], account: "ACCOUNT") { totalItems } burns(finality: FINALIZED) { totalItems } }`,
	`{ mints(fromTime: TIME, toTime: TIME) { totalItems buckets(interval: DAY) { fromTime totalItems } } }`,
	`{ tokens(keys: [{address: "ADDRESS", tokenId: "TOKEN"}]) { state supply minted firstMint { id } metadata { name } } token(address: "ADDRESS", tokenId: "TOKEN") { state } }`,
	`{ collections(first: 10, order: DESC) { data { address mintedItems documents { resolved untried } mints(first: 2) { data { id } } } } collection(address: "ADDRESS") { tokens(first: 50) { data { tokenId state } } } }`,
	`{ tokenMetadata(address: "ADDRESS", first: 100) { totalItems data { tokenId name attributes { traitType value traitCount } state error } } }`,
	`{ a: mints(first: 0) { totalItems } b: mints(first: 0) { totalItems } __schema { types { name } } }`,
}

// soakPaths are REST requests, and GraphQL requests by GET about finalized blocks.
var soakPaths = []question{
	{path: "/v1/block/BLOCK/nft/mints"}, {path: "/v1/nft/ADDRESS/burns?from_block=0&to_block=BLOCK"}, {path: "/v1/nft/ADDRESS/mints/TX"},
	{path: "/v1/nft/ADDRESS/TOKEN/burns"}, {path: "/v1/nft/ADDRESS/metadata", codes: "NOT_FOUND"}, {path: "/v1/mints?account=ACCOUNT&limit=500"},
	{path: "/v1/tokens?keys=ADDRESS:TOKEN"}, {path: "/v1/nft/ADDRESS"}, {path: "/v1/nft/0x12", codes: "BAD_USER_INPUT NOT_FOUND", refused: true},
	{path: "/graphql?query=" + url.QueryEscape("{mints(block:") + "BLOCK" + url.QueryEscape("){totalItems data{id}}}")},
}

// questions returns all questions, including some beyond limits, which must be refused.
func questions() (list []question) {
	fields := strings.NewReplacer("TRANSFER", transferFields())
	batch := []string{}
	for i, document := range soakDocuments {
		list = append(list, question{body: apitest.Request(fields.Replace(document), "")})
		if i%2 > 0 {
			batch = append(batch, list[i].body)
		}
	}
	for row, above := range map[string]int{"`--max-batch`": 51, "`--max-depth`": 21, "`--max-aliases`": 201, "`--max-root-fields`": 101, "`--max-cost`": 500_001, "`--max-page-size`": 1001} {
		list = append(list, question{body: apitest.AtLimit[row](above), codes: "QUERY_TOO_COSTLY BAD_USER_INPUT", refused: true})
	}
	list = append(list, soakPaths...)
	for _, broken := range []string{"{ mints", "{ mint { x } }", `{ node(id: "x") { id } }`, `{ mints(after: "x") { page } }`} {
		list = append(list, question{body: apitest.Request(broken, ""), codes: "GRAPHQL_PARSE_FAILED GRAPHQL_VALIDATION_FAILED BAD_USER_INPUT INVALID_CURSOR NOT_FOUND", refused: true})
	}
	return append(list, question{body: apitest.BatchOf(batch...)})
}

func newMix(s *soak) *mix {
	m := &mix{s: s, outcomes: map[string]int{}, end: func() {}}
	final := apitest.At(s.reader.Get(s.t, "{ mints(first: 100, toBlock: 30) { data { "+transferFields()+" } } }", ""), "mints", "data").([]any)
	for _, one := range final {
		r := record(one.(map[string]any))
		m.known = append(m.known, strings.NewReplacer("ADDRESS", r["tokenAddress"].(string), "TOKEN", r["tokenId"].(string), "TX", r["transactionHash"].(string),
			"ACCOUNT", r["to"].(string), "BLOCK", fmt.Sprint(r["blockNumber"]), "HASH", r["blockHash"].(string), "TIME", fmt.Sprint(r["timestamp"])))
	}
	s.t.Cleanup(func() { m.end() })
	return m
}

// begin starts clients that send questions without pauses. With batches, three in four
// clients send only batches.
func (m *mix) begin(clients int, batches bool) {
	ctx, stop := context.WithCancel(m.s.t.Context())
	var asking sync.WaitGroup
	all := questions()
	for i := range clients {
		list := all
		if batches && i%4 > 0 {
			list = all[len(all)-1:]
		}
		random := rand.New(rand.NewPCG(m.s.random.Uint64(), uint64(i)))
		asking.Go(func() {
			// Separate connections, so that none stays idle until the server closes it.
			dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%addresses))}}
			client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dialer.DialContext}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				m.ask(client, m.s.lives()[i/addresses%2], list[random.IntN(len(list))], m.known[random.IntN(len(m.known))])
			}
		})
	}
	slow := []net.Conn{m.slow(), m.slow()}
	m.end = sync.OnceFunc(func() {
		stop()
		asking.Wait()
		for _, conn := range slow {
			_ = conn.Close()
		}
		http.DefaultClient.CloseIdleConnections()
	})
}

// slow sends requests for large responses, and reads none of them.
func (m *mix) slow() net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(m.s.reader.Base, "http://"))
	if err != nil {
		m.s.t.Fatal(err)
	}
	body := apitest.Request("{ mints(first: 1000) { data { "+transferFields()+" } } }", "")
	for range 10 {
		fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	return conn
}

// ask sends a question. The test fails unless the response is well formed or a documented
// error.
func (m *mix) ask(client *http.Client, l *life, q question, values *strings.Replacer) {
	outages, began := m.s.outages.Load(), time.Now()
	method, path := http.MethodGet, l.Base+values.Replace(q.path)
	if q.body != "" {
		method, path = http.MethodPost, l.Base+"/graphql"
	}
	r, err := http.NewRequestWithContext(m.s.t.Context(), method, path, strings.NewReader(values.Replace(q.body)))
	if err != nil {
		m.s.t.Error(err)
		return
	}
	r.Header.Set("Content-Type", apitest.JSON)
	if tag, known := m.tags.Load(r.URL.RequestURI()); known {
		r.Header.Set("If-None-Match", tag.(string))
	}
	body := []byte{}
	response, err := client.Do(r)
	if err == nil {
		body, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
	}
	away := outages%2 > 0 || outages != m.s.outages.Load()
	outcomes, wrong := []string{"ended"}, ""
	if err == nil && response.StatusCode == http.StatusNotModified && r.Header.Get("If-None-Match") != "" {
		outcomes = []string{"not modified"}
	} else if err == nil {
		if tag := response.Header.Get("ETag"); tag != "" {
			m.tags.Store(r.URL.RequestURI(), tag)
		}
		outcomes, wrong = q.judge(response, body, away || l.ending.Load())
	} else if !l.ending.Load() && m.s.t.Context().Err() == nil {
		wrong = fmt.Sprintf("after %s: %v", time.Since(began), err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers++
	for _, outcome := range outcomes {
		m.outcomes[outcome]++
	}
	if wrong != "" && !m.s.t.Failed() {
		m.s.t.Errorf("%s: %.500s%.500s", wrong, path, values.Replace(q.body))
	}
}

// judge returns the outcome of each operation in a response. wrong describes the response
// if it is not acceptable.
func (q *question) judge(r *http.Response, body []byte, away bool) (outcomes []string, wrong string) {
	wrong = fmt.Sprintf("status %d, headers %v: %.300s", r.StatusCode, r.Header, body)
	if !bytes.HasPrefix(body, []byte("[")) {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	var all []operationAnswer
	if err := json.Unmarshal(body, &all); err != nil || len(all) == 0 {
		return nil, wrong
	}
	for _, one := range all {
		codes := one.codes()
		if len(codes) == 0 {
			rest := strings.HasPrefix(q.path, "/v1/")
			if q.refused || r.StatusCode != http.StatusOK || !rest && !bytes.HasPrefix(one.Data, []byte("{")) {
				return nil, wrong
			}
			codes = []string{"ok"}
		}
		for _, code := range codes {
			later := code == "RATE_LIMITED" || code == "UNAVAILABLE" && away
			if later && len(all) == 1 && (r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "") {
				return nil, wrong
			}
			if !later && code != "ok" && code != "TIMEOUT" && !slices.Contains(strings.Fields(q.codes), code) {
				return nil, wrong
			}
		}
		outcomes = append(outcomes, codes...)
	}
	return outcomes, ""
}

// operationAnswer is the response to an operation or to a REST request.
type operationAnswer struct {
	Data   json.RawMessage
	Errors []struct{ Extensions struct{ Code string } }
	// Code is the code of a REST error.
	Code string
}

// codes returns the codes of all errors.
func (a *operationAnswer) codes() (codes []string) {
	for _, e := range a.Errors {
		codes = append(codes, cmp.Or(e.Extensions.Code, "an error without a code"))
	}
	if a.Code != "" {
		codes = append(codes, a.Code)
	}
	return codes
}

// await waits for this many more responses.
func (m *mix) await(more int) {
	m.s.t.Helper()
	count := func() int {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.answers
	}
	goal := count() + more
	until(m.s.t, func() bool { return count() >= goal })
}

// report logs the outcomes, and checks that the limiters were full.
func (m *mix) report() {
	t := m.s.t
	t.Logf("%d answers: %v", m.answers, m.outcomes)
	text := m.s.reader.Send(t, http.MethodGet, "/metrics", "").Body
	for _, outcome := range []string{"after_waiting", "queue_full"} {
		if n := metric(t, text, fmt.Sprintf("limiter_operations_total{outcome=%q}", outcome)); n < 100 {
			t.Errorf("%v operations ended as %s: the load is too low", n, outcome)
		}
	}
	if m.outcomes["ok"] < m.answers/10 || m.outcomes["RATE_LIMITED"] == 0 {
		t.Errorf("of %d answers: %v", m.answers, m.outcomes)
	}
}
