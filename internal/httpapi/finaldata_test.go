package httpapi_test

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"path/filepath"
	"testing"

	"mintburn/internal/evm"
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
