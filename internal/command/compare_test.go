package command_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// manyBlocks returns generated blocks 1 to 700, of which block 130 has 20,000 records. Parent hashes are unknown.
func manyBlocks(t testing.TB) (blocks []nft.Block) {
	t.Helper()
	o := contents(0, 0)
	for n := range 700 {
		o.Sizes = append(o.Sizes, 2+n%7)
	}
	o.Sizes[129] = 20_000
	for b := range chaintest.Blocks(o) {
		b.Header.ParentHash = evm.Hash{}
		blocks = append(blocks, nft.Block{Header: b.Header, Mints: slices.Clone(b.Mints), Burns: slices.Clone(b.Burns)})
	}
	return blocks
}

// build stores the blocks of ranges in a new database of chain 7, and fills its digests.
func build(t testing.TB, dsn string, blocks []nft.Block, ranges ...evm.Range) {
	t.Helper()
	s, err := write.Open(t.Context(), dsn, write.Options{})
	expect.NoError(t, err)
	expect.NoError(t, s.Settings().BindChain(t.Context(), 7))
	_, _, err = s.Settings().BindDecoding(t.Context(), nft.Decoding{})
	expect.NoError(t, err)
	for _, r := range ranges {
		expect.NoError(t, s.Extend(t.Context(), blocks[r.From-1:r.To], r, false))
	}
	expect.NoError(t, s.Close())
	mustRun(t, "migrate", "--db", dsn)
}

// records returns the mints of a block, or its burns if it has none.
func records(b *nft.Block) *[]nft.Record {
	if len(b.Mints) > 0 {
		return &b.Mints
	}
	return &b.Burns
}

// last returns the last of them.
func last(b *nft.Block) *nft.Record { return &(*records(b))[len(*records(b))-1] }

// account returns the receiver of a mint, or the sender of a burn.
func account(r *nft.Record) *evm.Address {
	if r.Kind == nft.Mint {
		return &r.To
	}
	return &r.From
}

// differences are ways in which a block of another index differs.
var differences = []func(b *nft.Block){
	func(b *nft.Block) { last(b).Type, last(b).Amount = nft.ERC1155, evm.NewUint256(77) },
	func(b *nft.Block) { last(b).TokenID = evm.NewUint256(1 << 60) },
	func(b *nft.Block) { account(last(b))[19]++ },
	func(b *nft.Block) { account(last(b))[0]++ },
	func(b *nft.Block) { last(b).Contract[5]++ },
	func(b *nft.Block) { last(b).TxHash[31]++ },
	func(b *nft.Block) { last(b).Type, last(b).Operator = nft.ERC1155, evm.Address{1} },
	func(b *nft.Block) { last(b).LogIndex += 3 },
	func(b *nft.Block) { b.Header.Hash[7]++ },
	func(b *nft.Block) { b.Header.Time++ },
	func(b *nft.Block) { *records(b) = (*records(b))[1:] },
	func(b *nft.Block) {
		more := *last(b)
		more.LogIndex++
		*records(b) = append(*records(b), more)
	},
}

// planted returns the blocks with a difference in each of 60: also in the first, in those beside a gap, in large ones
// and in those at the ends of groups.
func planted(t testing.TB) (other []nft.Block) {
	t.Helper()
	other = manyBlocks(t)
	chosen := map[int]bool{1: true, 63: true, 64: true, 130: true, 131: true, 299: true, 400: true, 447: true, 448: true, 700: true}
	for random := rand.New(rand.NewPCG(55, 0)); len(chosen) < 60; {
		if n := 1 + random.IntN(700); n < 300 || n >= 400 {
			chosen[n] = true
		}
	}
	for i, n := range slices.Sorted(maps.Keys(chosen)) {
		differences[i%len(differences)](&other[n-1])
	}
	return other
}

var (
	idField     = regexp.MustCompile(`,"id":"[^"]*"`)
	numberField = regexp.MustCompile(`"block_number":(\d+)`)
)

// exportedAlone returns what compare must print of two databases, by an export of each: by block and kind the sorted lines.
func exportedAlone(t testing.TB, db, other string, flags ...string) map[string][]string {
	t.Helper()
	want := map[string][]string{}
	for _, set := range []string{"mints", "burns"} {
		times := map[string]int{}
		for i, dsn := range []string{db, other} {
			text, _ := mustRun(t, append([]string{"export", set, "--partial", "--db", dsn}, flags...)...)
			for line := range strings.Lines(text) {
				times[idField.ReplaceAllString(line, "")] += 1 - 2*i
			}
		}
		for line, n := range times {
			block := fmt.Sprintf("block %s: %s differ\n", numberField.FindStringSubmatch(line)[1], set)
			for ; n > 0; n-- {
				want[block] = append(want[block], "- "+line)
			}
			for ; n < 0; n++ {
				want[block] = append(want[block], "+ "+line)
			}
		}
	}
	for _, lines := range want {
		slices.Sort(lines)
	}
	return want
}

// printedAlone returns the differences in the output of compare as exportedAlone does, and its other lines.
func printedAlone(output string) (blocks map[string][]string, others string) {
	blocks = map[string][]string{}
	block := ""
	for line := range strings.Lines(output) {
		switch {
		case strings.HasPrefix(line, "block "):
			block = line
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "+ "):
			blocks[block] = append(blocks[block], line)
		default:
			others += line
		}
	}
	for _, lines := range blocks {
		slices.Sort(lines)
	}
	return blocks, others
}

// equalLine returns the line of compare for an equal range, with digests by their definition of an export.
func equalLine(t testing.TB, db string, from, to int) string {
	t.Helper()
	digests := [2]string{}
	for i, set := range []string{"mints", "burns"} {
		text, _ := mustRun(t, "export", set, "--format", "csv", "--partial", "--db", db, "--from-block", strconv.Itoa(from), "--to-block", strconv.Itoa(to))
		level := map[int]string{}
		_, text, _ = strings.Cut(text, "\n")
		for line := range strings.Lines(text) {
			fields := strings.Split(line, ",")
			number, err := strconv.Atoi(fields[4])
			expect.NoError(t, err)
			level[number] += strings.Join(fields[:14], ",") + "\n"
		}
		for range 6 {
			above := map[int]string{}
			for _, n := range slices.Sorted(maps.Keys(level)) {
				above[n/64] += fmt.Sprintf("%d,%x\n", n, sha256.Sum256([]byte(level[n])))
			}
			level = above
		}
		digests[i] = fmt.Sprintf("0x%x", sha256.Sum256([]byte(level[0])))
	}
	return fmt.Sprintf("Equal: blocks %d to %d, mints %s, burns %s.\n", from, to, digests[0], digests[1])
}

// twoRanges are the indexed ranges of the databases of these tests.
var twoRanges = []evm.Range{{From: 1, To: 299}, {From: 400, To: 700}}

// TestCompare_Planted finds each of 60 differences between a database and others: of both kinds, and behind a server. The
// output must be what the exports of both differ in.
func TestCompare_Planted(t *testing.T) {
	t.Parallel()
	db := storetest.SQLite(t)
	build(t, db, manyBlocks(t), twoRanges...)
	storetest.Each(t, func(t *testing.T, other string) {
		build(t, other, planted(t), twoRanges...)
		want := exportedAlone(t, db, other)
		for name, address := range map[string]string{"database": other, "server": serve(t, other).Base} {
			stdout, stderr, code := run(t, nil, "compare", "--db", db, address)
			blocks, others := printedAlone(stdout)
			expect.Equal(t, name+": blocks", want, blocks)
			if code != 1 || stderr != "mintburn: 60 of the compared blocks differ\n" || others != "" {
				t.Errorf("%s: exit code %d: %s%s", name, code, stderr, others)
			}
		}
		reversed, _, _ := run(t, nil, "compare", "--db", other, db)
		blocks, _ := printedAlone(reversed)
		expect.Equal(t, "reversed", exportedAlone(t, other, db), blocks)
		stdout, stderr, code := run(t, nil, "compare", "--db", db, other, "--limit", "5", "--from-block", "64", "--to-block", "650")
		blocks, _ = printedAlone(stdout)
		numbers := map[string]bool{}
		for block, lines := range blocks {
			expect.Equal(t, block, want[block], lines)
			number, _, _ := strings.Cut(block, ":")
			numbers[number] = true
		}
		if code != 1 || stderr != "mintburn: more than 5 blocks differ: --limit prints more\n" || len(numbers) != 5 {
			t.Errorf("exit code %d: %s%v", code, stderr, numbers)
		}
	})
}

// TestCompare_Equal compares databases that were built in other ranges, of which one has more blocks.
func TestCompare_Equal(t *testing.T) {
	t.Parallel()
	db, other := storetest.SQLite(t), storetest.SQLite(t)
	build(t, db, manyBlocks(t), twoRanges...)
	build(t, other, manyBlocks(t), evm.Range{From: 600, To: 700}, evm.Range{From: 2, To: 250}, evm.Range{From: 251, To: 599})
	server := start(t, "serve", "--chain", "a="+other, "--chain", "b="+importDemo(t))
	before, err := os.ReadFile(db)
	expect.NoError(t, err)
	more := "Only --db has blocks 1 to 1.\nOnly OTHER has blocks 300 to 399.\n"
	for name, of := range map[string]struct {
		args []string
		want string
	}{
		"all":     {nil, more + equalLine(t, db, 2, 299) + equalLine(t, db, 400, 700)},
		"groups":  {[]string{"--from-block", "128", "--to-block", "255"}, equalLine(t, db, 128, 255)},
		"small":   {[]string{"--from-block", "65", "--to-block", "126"}, equalLine(t, db, 65, 126)},
		"across":  {[]string{"--from-block", "299", "--to-block", "450"}, "Only OTHER has blocks 300 to 399.\n" + equalLine(t, db, 299, 299) + equalLine(t, db, 400, 450)},
		"nothing": {[]string{"--from-block", "2", "--to-block", "2"}, equalLine(t, db, 2, 2)},
	} {
		for _, address := range []string{other, server.Base + "/a", server.Base + "/a/", server.Base + "/a/graphql"} {
			stdout, stderr, code := run(t, nil, append([]string{"compare", "--db", db, address}, of.args...)...)
			if code != 0 || stdout != of.want || stderr != "" {
				t.Errorf("%s: %s: exit code %d: %s%swant %s", name, address, code, stdout, stderr, of.want)
			}
		}
	}
	after, err := os.ReadFile(db)
	expect.NoError(t, err)
	beside, err := filepath.Glob(db + "*")
	if err != nil || !bytes.Equal(before, after) || len(beside) != 1 {
		t.Errorf("compare has written: %v (%v)", beside, err)
	}
}

// TestCompare_Options compares databases that decode a chain with other options, up to the finalized block.
func TestCompare_Options(t *testing.T) {
	t.Parallel()
	skipShort(t, "decodes a chain several times")
	node := optionalNode(t, 150)
	db := synced(t, node)
	fails(t, 1, "mintburn: no block from 149 to 86 is indexed in both\n", "compare", "--db", db, db, "--from-block", "149")
	lower := synced(t, node)
	edit(t, lower, "UPDATE settings SET value = json_set(value, '$.Number', 50) WHERE id = 'finalized'")
	for _, args := range [][]string{{"--db", db, lower}, {"--db", lower, db}} {
		if stdout, _ := mustRun(t, append([]string{"compare"}, args...)...); !strings.HasPrefix(stdout, "Equal: blocks 0 to 50, mints 0x") {
			t.Errorf("up to the lower finalized block: %s", stdout)
		}
	}
	for flags, differing := range map[string]int{
		"--burn-address " + deadAddress: 46, "--unindexed " + kittyAddress + " --contract " + kittyAddress: 86, "--range-cap 9999": 0,
	} {
		other := synced(t, node, strings.Fields(flags)...)
		want := fmt.Sprintf("mintburn: %d of the compared blocks differ\n", differing)
		if differing == 0 {
			want = "mintburn: the records are equal, the options of decoding differ\n"
		}
		for _, address := range []string{other, serve(t, other).Base} {
			stdout, stderr, code := run(t, nil, "compare", "--db", db, address)
			blocks, others := printedAlone(stdout)
			expect.Equal(t, flags, exportedAlone(t, db, other, "--finality", "finalized"), blocks)
			shown, _, _ := strings.Cut(others, ", OTHER has ")
			if code != 1 || stderr != want || shown != "The options of decoding differ: --db has --range-cap 10000" {
				t.Errorf("%s: %s: exit code %d: %swant %s", flags, others, code, stderr, want)
			}
		}
	}
}

// TestCompare_Limits compares with a server that allows little in a request, is often busy, and wants a key.
func TestCompare_Limits(t *testing.T) {
	t.Parallel()
	db, other := storetest.SQLite(t), storetest.SQLite(t)
	build(t, db, manyBlocks(t), twoRanges...)
	build(t, other, planted(t), twoRanges...)
	line, said := mustRun(t, "keys", "new", "me")
	folder := t.TempDir()
	keys, key, wrong := filepath.Join(folder, "keys"), filepath.Join(folder, "key"), filepath.Join(folder, "wrong")
	expect.NoError(t, os.WriteFile(keys, []byte(line), 0o600))
	expect.NoError(t, os.WriteFile(key, []byte(said[strings.LastIndex(said, " ")+1:]), 0o600))
	expect.NoError(t, os.WriteFile(wrong, []byte("wrong"), 0o600))
	real := start(t, "serve", "--db", other, "--api-keys", keys, "--require-api-key", "--max-cost", "20000", "--max-page-size", "70")
	to, err := url.Parse(real.Base)
	expect.NoError(t, err)
	proxy, asked, always, pause := httputil.NewSingleHostReverseProxy(to), atomic.Int64{}, atomic.Bool{}, time.After(time.Second)
	// All requests of the first second are refused, and later two of three.
	early := func() string {
		select {
		case <-pause:
			pause = nil
		default:
		}
		if pause != nil {
			return "1"
		}
		return "0"
	}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if after := early(); after == "1" || asked.Add(1)%3 != 0 || always.Load() {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"errors":[{"message":"the quota is spent","extensions":{"code":"RATE_LIMITED"}}]}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer busy.Close()
	stdout, stderr, code := run(t, nil, "compare", "--db", db, busy.URL, "--api-key-file", key)
	blocks, others := printedAlone(stdout)
	expect.Equal(t, "blocks", exportedAlone(t, db, other), blocks)
	if code != 1 || stderr != "mintburn: 60 of the compared blocks differ\n" || others != "" {
		t.Errorf("exit code %d: %s%s", code, stderr, others)
	}
	fails(t, 1, "mintburn: OTHER: an API key is required: send it as Authorization: Bearer KEY (--api-key-file)\n", "compare", "--db", db, real.Base)
	fails(t, 1, "mintburn: OTHER: the API key is unknown, revoked or expired (--api-key-file)\n", "compare", "--db", db, real.Base, "--api-key-file", wrong)
	fails(t, 1, "mintburn: --api-key-file: "+keys+": want one line with a key\n", "compare", "--db", db, real.Base, "--api-key-file", keys)
	always.Store(true)
	asked.Store(0)
	fails(t, 1, "mintburn: OTHER: the quota is spent\n", "compare", "--db", db, busy.URL)
	expect.Equal(t, "requests of a server that is always busy", int64(30), asked.Load())
}

// TestCompare_Refused compares with what can't be compared.
func TestCompare_Refused(t *testing.T) {
	t.Parallel()
	db, other, empty := storetest.SQLite(t), storetest.SQLite(t), storetest.SQLite(t)
	build(t, db, manyBlocks(t), twoRanges[0])
	build(t, other, manyBlocks(t), twoRanges[1])
	const common = "mintburn: no block from 0 to 8589934590 is indexed in both\n"
	for _, address := range []string{other, serve(t, other).Base} {
		stdout, stderr, code := run(t, nil, "compare", "--db", db, address)
		if code != 1 || stdout != "Only --db has blocks 1 to 299.\nOnly OTHER has blocks 400 to 700.\n" || stderr != common {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
	fails(t, 1, "is indexed in both", "compare", "--db", db, empty)
	fails(t, 1, "mintburn: no block from 300 to 350 is indexed in both\n", "compare", "--db", db, db, "--from-block", "300", "--to-block", "350")
	edit(t, empty, "INSERT INTO settings (id, value) VALUES ('chain_id', '8')")
	fails(t, 1, "mintburn: --db has chain 7, OTHER has chain 8: want the same chain\n", "compare", "--db", db, empty)
	fails(t, 1, ": run mintburn migrate first\n", "compare", "--db", db, storetest.Before(t))
	fails(t, 1, ": run mintburn migrate first\n", "compare", "--db", storetest.Before(t), db)
	bare := storetest.SQLite(t)
	build(t, bare, manyBlocks(t), twoRanges[0])
	edit(t, bare, "DELETE FROM coverage WHERE kind = 'digested'")
	const undigested = ": blocks 64 to 255 have no digests yet: mintburn migrate computes them\n"
	fails(t, 1, "mintburn: --db"+undigested, "compare", "--db", bare, db, "--from-block", "60")
	fails(t, 1, "mintburn: OTHER"+undigested, "compare", "--db", db, bare, "--from-block", "60")
	fails(t, 1, "mintburn: OTHER"+undigested, "compare", "--db", db, serve(t, bare).Base, "--from-block", "60")
	for name, answer := range map[string]http.HandlerFunc{
		"OTHER: status 404 of http":                             http.NotFound,
		"OTHER: got an answer that no server of Mintburn gives": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data":{}}`) },
		"got an answer that no server of Mintburn gives": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":{"chain":{"indexedRanges":[{"fromBlock":9,"toBlock":5}]}}}`)
		},
		`OTHER: Cannot query field "rangeCap"`: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"errors":[{"message":"Cannot query field \"rangeCap\""}]}`)
		},
	} {
		server := httptest.NewServer(answer)
		fails(t, 1, name, "compare", "--db", db, server.URL)
		server.Close()
		fails(t, 1, "OTHER: the server does not answer: ", "compare", "--db", db, server.URL)
	}
}
