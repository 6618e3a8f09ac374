package command_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// repeat joins what f gives for 0 to n-1.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// limitRequests give a request that asks for exactly n of what each row of
// docs/limits.md counts, by the row's first column.
var limitRequests = map[string]func(n int) string{
	"`--max-body`": func(n int) string {
		body := inJSON("{ chain { lag } }")
		return body + strings.Repeat(" ", n-len(body))
	},
	"`--max-batch`": func(n int) string { return inBatch(strings.Fields(strings.Repeat(`{"query":"{chain{lag}}"} `, n))...) },
	"`--max-tokens`": func(n int) string {
		// 6 tokens, and one for each comment.
		return inJSON("{chain{lag}}" + strings.Repeat("#\n", n-6))
	},
	"`--max-depth`": func(n int) string {
		// Only introspection nests that deep.
		return inJSON(`{ __type(name: "Mint") ` + strings.Repeat("{ ofType ", n-2) + "{ name }" + strings.Repeat("}", n-2) + "}")
	},
	"`--max-aliases`": func(n int) string {
		return inJSON("{ chain { " + repeat(n, func(i int) string { return fmt.Sprintf("a%d: lag ", i) }) + "} }")
	},
	"`--max-root-fields`": func(n int) string {
		return inJSON("{ " + repeat(n, func(i int) string { return fmt.Sprintf("a%d: chain { lag } ", i) }) + "}")
	},
	"`--max-cost`": func(n int) string {
		// 10 pages of 49120, one of 8120, 32 look-ups of 21, and the rest one by one.
		page := func(name string, i, fields int) string {
			return fmt.Sprintf("%s%d: mints(first: 1000) { data { %s} } ", name, i, strings.Repeat("id ", fields))
		}
		return inJSON("{ " + repeat(10, func(i int) string { return page("p", i, 48) }) + page("q", 0, 7) +
			repeat(32, func(i int) string { return fmt.Sprintf("r%d: mints(first: 0) { page } ", i) }) +
			repeat(n-10*49120-8120-32*21, func(i int) string { return fmt.Sprintf("s%d: __typename ", i) }) + "}")
	},
	"`--max-page-size`": func(n int) string { return inJSON(fmt.Sprintf("{ mints(first: %d) { page } }", n)) },
	"fields, fragments and values of a document, each fragment counted where it is used": func(n int) string {
		// A fragment of 282 fields, itself and 69 times with two fields around it.
		block := "{ " + strings.Repeat("number ", 40) + strings.Repeat("hash ", 40) + strings.Repeat("timestamp ", 40) + "} "
		fragment := "fragment F on Chain { " + strings.Repeat("lag ", 40) + "head " + block + "finalized " + block + "}"
		rest := n - 282 - 69*284
		return inJSON("{ " + repeat(69, func(i int) string { return fmt.Sprintf("a%d: chain { ...F } ", i) }) +
			repeat(rest/50, func(i int) string { return fmt.Sprintf("b%d: chain { %s} ", i, strings.Repeat("lag ", 49)) }) +
			repeat(rest%50, func(i int) string { return "__typename " }) + "} " + fragment)
	},
	"the same field selected at the same place of a document": func(n int) string {
		return inJSON("{ chain { " + strings.Repeat("lag ", n) + "} }")
	},
	"bytes of a response key, a field's name or alias": func(n int) string {
		return inJSON("{ chain { " + strings.Repeat("k", n) + ": lag } }")
	},
	"values in the variables of a request": func(n int) string {
		return `{"query": "{ chain { lag } }", "variables": {"a": [` + strings.Repeat("1,", n-3) + "1]}}"
	},
	"levels of lists and objects in variables": func(n int) string {
		return `{"query": "{ chain { lag } }", "variables": {"a": ` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}}"
	},
}

// TestLimits_Documented runs every row of docs/limits.md that has a code:
// as much as the row says is answered, one more is refused.
func TestLimits_Documented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, importChainA(t))
	seen := map[string]bool{}
	row := regexp.MustCompile("(?m)^\\| (.+?) \\| (\\d+) \\|(?:.*\\|)? (?:(4\\d\\d) )?`([A-Z_]+)` \\|$")
	for _, found := range row.FindAllStringSubmatch(string(text), -1) {
		name, code := found[1], found[4]
		n, _ := strconv.Atoi(found[2])
		request := limitRequests[name]
		if request == nil {
			t.Errorf("no request for the row %s", name)
			continue
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			got := s.send(t, "POST", "/graphql", request(n), "Accept", asResponse)
			if got.status != 200 || strings.Contains(got.body, `"errors"`) {
				t.Errorf("%d: status %d: %.300s", n, got.status, got.body)
			}
			status := map[string]int{asJSON: 200, asResponse: 400}
			if code == "BAD_USER_INPUT" {
				status[asResponse] = 200 // a field's error
			}
			if fixed, err := strconv.Atoi(found[3]); err == nil {
				status = map[string]int{asJSON: fixed, asResponse: fixed}
			}
			for accept, want := range status {
				got = s.send(t, "POST", "/graphql", request(n+1), "Accept", accept)
				if onlyError(t, got.answer(t), code); got.status != want {
					t.Errorf("%d, %s: status %d, want %d: %s", n+1, accept, got.status, want, got.body)
				}
			}
		})
	}
	for name := range limitRequests {
		if !seen[name] {
			t.Errorf("docs/limits.md has no row %s", name)
		}
	}
}

// TestLimits_Headers: the last row, which has no code.
func TestLimits_Headers(t *testing.T) {
	s := serve(t, importChainA(t))
	if got := s.send(t, "GET", "/graphql?query=%7Bchain%7Blag%7D%7D"+strings.Repeat("%0A", 20_000), ""); got.status != 200 {
		t.Errorf("60 kB: status %d", got.status)
	}
	if got := s.send(t, "GET", "/graphql?query=%7Bchain%7Blag%7D%7D"+strings.Repeat("%0A", 30_000), ""); got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("90 kB: status %d, want 431", got.status)
	}
}

// TestLimits_AreTheDefaults: the flags' defaults are those of docs/limits.md,
// and each flag moves its limit.
func TestLimits_AreTheDefaults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	help, _, _ := run(t, nil, "serve", "--help")
	help = strings.Join(strings.Fields(help), " ")
	for _, row := range regexp.MustCompile("(?m)^\\| `--([a-z-]+)` \\| (\\S+) \\|").FindAllStringSubmatch(string(text), -1) {
		pattern := regexp.MustCompile("--" + row[1] + "=[A-Z]+ [^$]* " + row[2] + " unless given")
		if !pattern.MatchString(help) {
			t.Errorf("--help does not say that --%s is %s", row[1], row[2])
		}
	}
	s := start(t, "serve", "--db", importChainA(t), "--max-body", "10000", "--max-batch", "3", "--max-tokens", "400", "--max-depth", "4",
		"--max-aliases", "5", "--max-root-fields", "6", "--max-page-size", "7")
	for name, n := range map[string]int{"`--max-body`": 10_000, "`--max-batch`": 3, "`--max-tokens`": 400, "`--max-depth`": 4,
		"`--max-aliases`": 5, "`--max-page-size`": 7} {
		for i, refused := range []bool{false, true} {
			got := s.send(t, "POST", "/graphql", limitRequests[name](n+i))
			if strings.Contains(got.body, `"errors"`) != refused {
				t.Errorf("%s, %d: %.300s", name, n+i, got.body)
			}
		}
	}
}

func TestLimits_BadFlags(t *testing.T) {
	for flag, told := range map[string]string{
		"--max-body=0": "--max-body is 0: want 1 to 1073741824", "--max-batch=-1": "--max-batch is -1: want 1", "--max-cost=x": "--max-cost",
		"--max-depth=9999999999": "--max-depth is 9999999999: want 1", "--timeout=0s": "--timeout is 0s: want 1ms to 1h",
		"--read-timeout=2h": "--read-timeout is 2h0m0s: want 1ms to 1h", "--max-concurrency=0": "--max-concurrency is 0", "--timeout=5": "--timeout",
	} {
		_, stderr, code := run(t, nil, "serve", "--db", filepath.Join(t.TempDir(), "x.db"), "--listen", "127.0.0.1:0", flag)
		if code != 2 || !strings.Contains(stderr, told) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q: want 2, %q", flag, code, stderr, told)
		}
	}
}

// TestLimits_Answer: an answer as long as the bound is given, alone and in a
// batch; one that is longer by a byte is not.
func TestLimits_Answer(t *testing.T) {
	db := importChainA(t)
	for name, query := range map[string]string{
		"pages":         "{ " + repeat(10, func(i int) string { return fmt.Sprintf("a%d: mints(first: 100) { data { id blockHash } } ", i) }) + "}",
		"introspection": "{ __schema { types { name description fields { name description } } } }",
		"small":         "{ chain { head { number } } }",
		"errors":        `{ chain { finalized { hash } } node(id: "x") { id } }`,
	} {
		t.Run(name, func(t *testing.T) {
			var whole struct{ Data json.RawMessage }
			got := serve(t, db).send(t, "POST", "/graphql", inJSON(query))
			decode(t, []byte(got.body), &whole)
			size := len(whole.Data)
			for max, refused := range map[int]bool{size: false, size - 1: true} {
				s := start(t, "serve", "--db", db, "--max-answer", strconv.Itoa(max))
				a := s.send(t, "POST", "/graphql", inJSON(query)).answer(t)
				if refused {
					if e := onlyError(t, a, "QUERY_TOO_COSTLY"); a.Data != nil || !strings.Contains(e.Message, fmt.Sprintf("at most %d bytes", max)) {
						t.Errorf("%d bytes, at most %d: %.200s", size, max, a.text)
					}
				} else if a.text != got.body {
					t.Errorf("%d bytes, at most %d: %.200s", size, max, a.text)
				}
				if got := s.send(t, "POST", "/graphql", inBatch(inJSON("{ __typename }"), inJSON(query))); !strings.Contains(got.body, "QUERY_TOO_COSTLY") {
					t.Errorf("more than %d bytes in a batch: %.200s", max, got.body)
				}
			}
		})
	}
}

// TestLimits_Errors: a hundred are shown, and how many more there are.
func TestLimits_Errors(t *testing.T) {
	s := serve(t, importChainA(t))
	for n, want := range map[int]int{100: 100, 101: 101, 1000: 101} {
		a := s.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, `{"ids": ["x"`+strings.Repeat(`, "x"`, n-1)+`]}`)
		if len(a.Errors) != want || len(a.Data["nodes"].([]any)) != n {
			t.Errorf("%d bad ids: %d errors, want %d", n, len(a.Errors), want)
		}
		if last := a.Errors[len(a.Errors)-1]; n > 100 && (last.Message != fmt.Sprintf("%d more errors are left out", n-100) || last.Extensions["code"] != "QUERY_TOO_COSTLY") {
			t.Errorf("%d bad ids: the last error is %v", n, last)
		}
	}
}

// TestLimits_Connections: beyond the bound a client loses connections to others.
func TestLimits_Connections(t *testing.T) {
	s := start(t, "serve", "--db", importChainA(t), "--max-connections", "10")
	conns := make([]net.Conn, 10)
	for i := range conns {
		conns[i] = s.dial(t)
	}
	if got := s.post(t, from(t, "127.0.0.3"), inJSON("{ mints(first: 2) { limit } }")); got.status != 200 {
		t.Errorf("status %d: %s", got.status, got.body)
	}
	if _, err := conns[0].Read(make([]byte, 1)); err == nil {
		t.Error("the oldest connection is open")
	}
}
