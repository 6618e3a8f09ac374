package graph_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/graph"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// counted counts the operations that the generated code answers.
type counted struct {
	graphql.ExecutableSchema
	n atomic.Int64
}

func (c *counted) Exec(ctx context.Context) graphql.ResponseHandler {
	c.n.Add(1)
	return c.ExecutableSchema.Exec(ctx)
}

// TestWriter_EqualsGenerated compares the page writer with gqlgen's execution
// on random operations: the bytes of the data, and the errors. MINTBURN_SEED
// repeats those of one seed, MINTBURN_STEPS is their number.
func TestWriter_EqualsGenerated(t *testing.T) {
	s, values, wrong := populated(t)
	behind := &counted{ExecutableSchema: graph.NewGenerated(s, now)}
	schema, _ := graph.NewWriting(behind)
	written, generated := newAsker(s, schema), newAsker(s, graph.NewGenerated(s, now))
	seed, steps := number(t, "MINTBURN_SEED", 1), number(t, "MINTBURN_STEPS", 2000)
	t.Logf("to repeat: MINTBURN_SEED=%d MINTBURN_STEPS=%d", seed, steps)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0)), schema: written.schema, values: values, wrong: wrong, rare: 3}
	compared, failed, invalid := 0, 0, map[string]int{}
	for compared < int(steps) {
		text, given := g.operation()
		document, err := parse(written.schema, text)
		if err != nil {
			invalid[err.Error()]++
			continue
		}
		// The document is asked for again with other values, as clients do.
		for range 1 + g.IntN(2) {
			variables, err := coerce(written.schema, document, given)
			if err != nil {
				break
			}
			got, want := written.ask(t.Context(), document, variables), generated.ask(t.Context(), document, variables)
			if diff := cmp.Diff(shown(t, want), shown(t, got)); diff != "" {
				t.Fatalf("%s\n%v\n(-generated +written):\n%s", text, variables, diff)
			}
			compared++
			if len(got.Errors) > 0 {
				failed++
			}
			for name, value := range given {
				if yes, ok := value.(bool); ok {
					given[name] = yes != g.chance(50)
				}
			}
		}
	}
	t.Logf("%d operations, %d with errors, %d answered by the generated code, %d not valid", compared, failed, behind.n.Load(), len(invalid))
	if failed < compared/20 || behind.n.Load() > int64(compared/2) {
		t.Errorf("that is no fair share of each")
	}
}

// shown is what of a response is compared. Fields of Query run at once, so that
// their errors come in any order.
func shown(t *testing.T, r *graphql.Response) []string {
	t.Helper()
	var errors []string
	for _, e := range r.Errors {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		errors = append(errors, string(text))
	}
	slices.Sort(errors)
	return append(errors, string(r.Data), fmt.Sprint(r.HasNext, r.Label, r.Path, r.Extensions))
}

func number(t testing.TB, name string, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// populated returns a database with two ranges of blocks, of which the end was
// reorganised once, texts for arguments that fit it, and texts that are wrong.
func populated(t testing.TB) (s *store.Store, values, wrong map[string][]string) {
	t.Helper()
	s = open(t)
	list := slices.Delete(blocks(40, 1), 20, 25)
	odd := &list[3].Mints[0]
	odd.TokenID, _ = evm.ParseUint256("115792089237316195423570985008687907853269984665640564039457584007913129639935")
	odd.Amount, _ = evm.ParseUint256("18446744073709551616")
	apply(t, s, list)
	describe(t, s, list)
	values = map[string][]string{
		"BlockNumberOrHash": {"1", "3", "`5`", `"0x7"`, `"16"`},
		"BigInt":            {"1", "2", `"3"`, `"0x1"`, quoted(odd.TokenID)},
		"Long":              {"1", "5", `"12"`, `"0x13"`, "19", "26"},
		"Order":             {"`ASC`", "`DESC`"},
		"Int":               {"0", "1", "2", "3", "7", "20", "150", "1000"},
		"ID":                {`"x"`},
	}
	wrong = map[string][]string{
		"BlockNumberOrHash": {"22", "9999", `"x"`, "-1", "1.5"},
		"BigInt":            {"-1", `"y"`, "1.5", "`true`"},
		"Long":              {"39", "9007199254740991", "9007199254740992", "-2", `"z"`},
		"Int":               {"1001", "-1"},
		"Address":           {`"0x00000000000000000000000000000000000000aa"`, `"x"`, `"0xAB"`, "`5`", `""`},
		"Bytes32":           {`"0x01"`, quoted(evm.Hash{1})},
		"Cursor":            {`"x"`, `""`},
	}
	for _, b := range list {
		for _, r := range slices.Concat(b.Mints, b.Burns) {
			values["Address"] = append(values["Address"], quoted(r.Contract))
			values["Bytes32"] = append(values["Bytes32"], quoted(r.TxHash))
			account := r.To
			if r.Kind == nft.Burn {
				account = r.From
			}
			for _, field := range []string{"mints.account", "burns.account"} {
				values[field] = append(values[field], quoted(account))
			}
		}
		values["BlockNumberOrHash"] = append(values["BlockNumberOrHash"], quoted(b.Header.Hash))
	}
	collect(t, s, values, list[0].Mints[0].Contract)
	wrong["Cursor"] = append(wrong["Cursor"], values["burns.after"][0], values["mints.after"][0], values["tokenMetadata.after"][0])
	// The last blocks are reorganised away: their cursors lead to an error.
	fork := list[len(list)-4]
	other := blocks(40, 2)[37]
	other.Header.ParentHash = fork.Header.Hash
	if _, err := s.Rollback(t.Context(), fork.Header.Number, []nft.Block{other}, false); err != nil {
		t.Fatal(err)
	}
	return s, values, wrong
}

func quoted(v fmt.Stringer) string { return `"` + v.String() + `"` }

// collect adds the cursors and ids of some pages.
func collect(t testing.TB, s *store.Store, values map[string][]string, address evm.Address) {
	t.Helper()
	snapshot := s.Snapshot()
	defer snapshot.Close()
	add := func(field, cursor, id string) {
		for _, name := range []string{field + ".after", field + ".before"} {
			values[name] = append(values[name], `"`+cursor+`"`)
		}
		values["ID"] = append(values["ID"], `"`+id+`"`)
	}
	for field, kind := range map[string]nft.Kind{"mints": nft.Mint, "burns": nft.Burn} {
		page, err := snapshot.Page(store.Filter{Kind: kind}, store.PageArgs{First: ptr(1000)})
		if err != nil {
			t.Fatal(err)
		}
		if err := page.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			if i%5 == 0 {
				add(field, page.Cursor(&page.Items[i]), page.Items[i].ID())
			}
		}
	}
	page, err := snapshot.Tokens(address, nil, store.PageArgs{First: ptr(20)})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Items {
		add("tokenMetadata", page.Cursor(m), store.TokenNodeID(m.TokenKey))
	}
	values["tokenMetadata.address"] = []string{quoted(address)}
}

// TestWriter_Writes: operations on pages are answered without the generated
// code, which is what makes them fast.
func TestWriter_Writes(t *testing.T) {
	s, values, _ := populated(t)
	behind := &counted{ExecutableSchema: graph.NewGenerated(s, now)}
	schema, _ := graph.NewWriting(behind)
	a := newAsker(s, schema)
	for _, page := range benchPages {
		document, err := parse(a.schema, page.of(values["tokenMetadata.address"][0], 18))
		if err != nil {
			t.Fatal(err)
		}
		if r := a.ask(t.Context(), document, nil); len(r.Errors) > 0 {
			t.Errorf("%s: %v", page.name, r.Errors)
		}
	}
	if n := behind.n.Load(); n > 0 {
		t.Errorf("the generated code answered %d of %d operations", n, len(benchPages))
	}
}

// TestWriter_AtOnce: programs and buffers are shared by all requests.
func TestWriter_AtOnce(t *testing.T) {
	s, values, _ := populated(t)
	a := newAsker(s, graph.NewSchema(s, now))
	var all sync.WaitGroup
	for _, page := range benchPages {
		document, err := parse(a.schema, page.of(values["tokenMetadata.address"][0], 18))
		if err != nil {
			t.Fatal(err)
		}
		want := a.ask(t.Context(), document, nil).Data
		for range 4 {
			all.Go(func() {
				for range 10 {
					if got := a.ask(t.Context(), document, nil).Data; !bytes.Equal(got, want) {
						t.Errorf("%s: got %s, want %s", page.name, got, want)
					}
				}
			})
		}
	}
	all.Wait()
}

// TestWriter_ProgramsGoWithTheirDocuments: what was compiled must not keep a
// document, nor stay without it, nor stay at all for documents that run once.
func TestWriter_ProgramsGoWithTheirDocuments(t *testing.T) {
	s, _, _ := populated(t)
	schema, kept := graph.NewWriting(graph.NewGenerated(s, now))
	a := newAsker(s, schema)
	var documents []*ast.QueryDocument
	for _, page := range benchPages {
		for i := range 10 {
			document, err := parse(a.schema, page.of(fmt.Sprintf(`"0x%040x"`, i), 18))
			if err != nil {
				t.Fatal(err)
			}
			a.ask(t.Context(), document, nil)
			documents = append(documents, document)
		}
	}
	// Two of them may share an address in time, or a hash.
	if _, programs := kept(); programs > 1 {
		t.Errorf("%d programs are kept of operations that ran once", programs)
	}
	for _, document := range documents {
		a.ask(t.Context(), document, nil)
		a.ask(t.Context(), document, nil)
	}
	operations, programs := kept()
	if programs < len(documents) {
		t.Errorf("%d programs are kept of %d operations that ran three times", programs, len(documents))
	}
	clear(documents)
	for deadline := time.Now().Add(10 * time.Second); operations > 0 && time.Now().Before(deadline); operations, _ = kept() {
		runtime.GC()
	}
	if operations > 0 {
		t.Errorf("the programs of %d operations are kept without their documents", operations)
	}
}

// TestWriter_KeepsFewProgramsOfAnOperation: a caller can ask for as many as
// variables have values.
func TestWriter_KeepsFewProgramsOfAnOperation(t *testing.T) {
	s, _, _ := populated(t)
	schema, kept := graph.NewWriting(graph.NewGenerated(s, now))
	a := newAsker(s, schema)
	document, err := parse(schema.Schema(), `query($a: Boolean! $b: Boolean! $c: Boolean! $d: Boolean! $e: Boolean!) {
		mints { page @skip(if: $a) limit @skip(if: $b) cursor @skip(if: $c) totalItems @skip(if: $d) data @skip(if: $e) { id } } }`)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		variables := map[string]any{"a": i&1 > 0, "b": i&2 > 0, "c": i&4 > 0, "d": i&8 > 0, "e": i&16 > 0}
		if r := a.ask(t.Context(), document, variables); len(r.Errors) > 0 || bytes.Contains(r.Data, []byte("limit")) == (i&2 > 0) {
			t.Errorf("%v: got %s and errors %v", variables, r.Data, r.Errors)
		}
	}
	if operations, programs := kept(); operations != 1 || programs < 1 || programs > 8 {
		t.Errorf("%d programs of %d operations are kept, want 1 to 8 of one", programs, operations)
	}
	runtime.KeepAlive(document)
}

// TestWriter_LeavesOutWhatItDoesNotKnow: the generated code answers in parts
// what is deferred.
func TestWriter_LeavesOutWhatItDoesNotKnow(t *testing.T) {
	s, _, _ := populated(t)
	behind := &counted{ExecutableSchema: graph.NewGenerated(s, now)}
	schema, _ := graph.NewWriting(behind)
	a := newAsker(s, schema)
	for i, text := range []string{
		`{ mints { page ... @defer { totalItems } } }`,
		`{ mints { page } chain { lag } }`,
		`{ mints { page } __schema { queryType { name } } }`,
	} {
		document, err := parse(a.schema, text)
		if err != nil {
			t.Fatal(err)
		}
		if r := a.ask(t.Context(), document, nil); len(r.Errors) > 0 || behind.n.Load() != int64(i+1) {
			t.Errorf("%s: answered %s, errors %v, by the page writer", text, r.Data, r.Errors)
		}
	}
}

// TestWriter_Strings compares the escapes of every character with gqlgen's.
func TestWriter_Strings(t *testing.T) {
	for c := range 0x300 {
		for _, text := range []string{string(rune(c)), "a" + string(rune(c)) + "b", string([]byte{byte(c)}), "é" + string([]byte{byte(c), byte(c >> 2)})} {
			var want bytes.Buffer
			graphql.MarshalString(text).MarshalGQL(&want)
			if got := graph.AppendString(nil, text); string(got) != want.String() {
				t.Fatalf("%q: got %s, want %s", text, got, &want)
			}
		}
	}
}
