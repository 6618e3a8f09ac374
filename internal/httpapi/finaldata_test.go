package httpapi_test

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
)

// version identifies a branch of a chain, and is the time of its blocks.
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

// replaceFinal replaces all blocks above a number. The last final block stays the same.
func replaceFinal(t *testing.T, s *write.DB, above uint64, blocks []nft.Block) error {
	t.Helper()
	if err := s.DeepReplaceAbove(t.Context(), above, blocks, false); err != nil {
		return err
	}
	finalizedAt(t, s, lastFinal)
	return nil
}

// repaired returns the block of this version with the hash that the stored version has,
// because a repair does not change which block is stored.
func (v version) repaired(stored version, number uint64) []nft.Block {
	list := v.blocks(number, number)
	list[0].Header.Hash = stored.blocks(number, number)[0].Header.Hash
	return list
}

// The last final and the last indexed block of [finalStore].
const lastFinal, lastIndexed = 15, 20

// finalStore returns a store with blocks 0 to lastIndexed, final up to lastFinal. Tests use it
// to change the database like another process, because the servers of the database have their
// own stores.
func finalStore(t testing.TB, dsn string) *write.DB {
	t.Helper()
	s := openStore(t, dsn)
	if _, err := s.Apply(t.Context(), version(1).blocks(0, lastIndexed)); err != nil {
		t.Fatal(err)
	}
	finalizedAt(t, s, lastFinal)
	return s
}

// finalDB returns the path of a database with the blocks of [finalStore].
func finalDB(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "final.db")
	finalStore(t, path)
	return path
}

// withCache returns two servers of a database, one with a response cache of so many MiB and
// one without.
func withCache(t testing.TB, dsn string, size int, changes ...func(*httpapi.Config)) (cached, computed *apitest.Client) {
	t.Helper()
	computed = serveStore(t, openStore(t, dsn), changes...)
	cached = serveStore(t, openStore(t, dsn), append(changes, func(c *httpapi.Config) { c.AnswerCache = size << 20 })...)
	return cached, computed
}

var hitsPattern = regexp.MustCompile(`(?m)^mintburn_cache_requests_total\{cache="answers",result="hit"\} (\d+)$`)

// hitsOf returns how many requests the response cache has answered.
func hitsOf(t testing.TB, s *apitest.Client) int {
	t.Helper()
	found := hitsPattern.FindStringSubmatch(s.Send(t, "GET", "/metrics", "").Body)
	if found == nil {
		// There is no cache.
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// asked is a request.
type asked struct{ method, path, body string }

// of sends the request with a fixed id, so that equal answers have equal headers. The answer
// is uncompressed unless header says otherwise.
func (a asked) of(t testing.TB, s *apitest.Client, header ...string) *apitest.Reply {
	t.Helper()
	return s.Send(t, a.method, a.path, a.body, append([]string{"Accept-Encoding", "identity", "X-Request-Id", "test"}, header...)...)
}

func posted(body string) asked { return asked{http.MethodPost, "/graphql", body} }

func gotten(path string) asked { return asked{http.MethodGet, path, ""} }
