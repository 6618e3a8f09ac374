package command_test

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/pgtest"
	"mintburn/internal/store"
)

// version is a branch of a chain, and the time of its blocks.
type version uint64

// blocks returns blocks of the branch, each with 20 mints.
func (v version) blocks(from, to uint64) (list []nft.Block) {
	digest := func(numbers ...uint64) (hash evm.Hash) {
		var text []byte
		for _, n := range numbers {
			text = binary.BigEndian.AppendUint64(text, n)
		}
		return sha256.Sum256(text)
	}
	for n := from; n <= to; n++ {
		b := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: n, Hash: digest(uint64(v), n)}, Time: uint64(v)}}
		for i := range uint64(20) {
			b.Mints = append(b.Mints, nft.Record{
				Kind: nft.Mint, Type: nft.ERC721, Contract: evm.Address{1}, To: evm.Address{2, byte(i)}, TokenID: evm.NewUint256(n<<8 | i),
				Amount: evm.NewUint256(1), TxHash: digest(uint64(v), n, i), LogIndex: uint32(i),
			})
		}
		list = append(list, b)
	}
	return list
}

// replaceFinal replaces all above a block, and calls as much final as before.
func replaceFinal(t *testing.T, s *store.Store, above uint64, blocks []nft.Block) error {
	t.Helper()
	if err := s.DeepReplaceAbove(t.Context(), above, blocks, false); err != nil {
		return err
	}
	return s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: lastFinal}})
}

// repaired returns a block with the hash that it has in another version: a repair
// does not change which block is stored.
func (v version) repaired(stored version, number uint64) []nft.Block {
	list := v.blocks(number, number)
	list[0].Header.Hash = stored.blocks(number, number)[0].Header.Hash
	return list
}

// The blocks of [finalDatabase].
const lastFinal, lastIndexed = 15, 20

// finalDatabase returns a database of blocks 0 to lastIndexed, those up to
// lastFinal final, and what changes it: to the server, another process.
func finalDatabase(t testing.TB, dsn string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dsn, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.Apply(t.Context(), version(1).blocks(0, lastIndexed)); err != nil {
		t.Fatal(err)
	}
	if err := s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: lastFinal}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// withBoth runs a test with a database of each sort.
func withBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "final.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.DSN(t)) })
}

// remembering serves a database with a cache of so many MiB, and plainly.
func remembering(t testing.TB, dsn, size string, args ...string) (kept, plainly *server) {
	t.Helper()
	args = append([]string{"serve", "--db", dsn}, args...)
	return start(t, append(slices.Clone(args), "--answer-cache", size)...), start(t, args...)
}

var keptPattern = regexp.MustCompile(`(?m)^mintburn_kept_answers_total (\d+)$`)

// hits is how many requests were answered from memory.
func (s *server) hits(t testing.TB) int {
	t.Helper()
	text := s.send(t, "GET", "/metrics", "").body
	found := keptPattern.FindStringSubmatch(text)
	if found == nil {
		t.Fatal("/metrics does not say how many answers were kept")
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// asked is a request as send takes it.
type asked struct {
	method, path, body string
	header             []string
}

// of sends the request; nothing is compressed unless it asks for that.
func (a asked) of(t testing.TB, s *server, more ...string) *reply {
	t.Helper()
	got := s.send(t, a.method, a.path, a.body, slices.Concat([]string{"Accept-Encoding", "identity"}, a.header, more)...)
	got.header.Del("Date")
	return got
}

func posted(body string) asked { return asked{method: http.MethodPost, path: "/graphql", body: body} }
