package graph_test

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/graph"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
)

const transferFields = `tokenAddress contractType tokenId blockHash blockNumber transactionHash logIndex from to amount operator timestamp blockTime`

// benchPage is a query for a page of a collection, up to a block.
type benchPage struct{ name, query string }

func (p benchPage) of(address string, to int) string {
	return strings.NewReplacer("ADDRESS", address, "TO", strconv.Itoa(to)).Replace(p.query)
}

// benchPages are the measured pages.
var benchPages = []benchPage{
	{"20 rows", `{ mints { cursor page limit data { ` + transferFields + ` } } }`},
	{"20 rows of a range", `{ mints(address: ADDRESS, fromBlock: 5, toBlock: TO) { cursor page limit data { ` + transferFields + ` } } }`},
	{"100 rows", `{ mints(first: 100) { cursor page limit data { ` + transferFields + ` } } }`},
	{"20 edges", `{ mints { edges { cursor node { id ` + transferFields + ` } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`},
	{"20 rows with metadata", `{ mints { cursor data { ` + transferFields + ` metadata { name image attributes { traitType value } } } } }`},
	{"metadata of a token", `{ tokenMetadata(address: ADDRESS, tokenId: 3) { data { collectionAddress collectionType tokenId externalUrl imageData backgroundColor youtubeUrl updatedAt name description
		image animationUrl attributes { traitType value maxValue traitCount order } } } }`},
	{"100 tokens with one amount", `{ collection(address: ADDRESS) { tokens(first: 100) { data { tokenId minted } } } }`},
	{"100 tokens with all amounts", `{ collection(address: ADDRESS) { tokens(first: 100) { data { tokenId state minted burned supply } } } }`},
	{"20 collections", `{ collections { data { address } } }`},
	{"20 collections with counts", `{ collections { data { address mintedItems burnedItems } } }`},
	{"total", `{ mints(fromBlock: 5, toBlock: TO) { totalItems } }`},
	{"5 operations", `{ a: mints(block: 7) { data { ` + transferFields + ` } } b: burns(fromBlock: 3, toBlock: TO) { data { ` + transferFields + ` } }
		c: mints(first: 5) { data { ` + transferFields + ` } } d: burns(first: 5) { data { ` + transferFields + ` } } e: tokenMetadata(address: ADDRESS, first: 1) { data { name } } }`},
}

// indexed returns a database with n blocks, and one of its collections.
func indexed(t testing.TB, n int) (s *write.DB, address string) {
	t.Helper()
	s = open(t)
	list := blocks(n, 1)
	apply(t, s, list)
	describe(t, s, list)
	expect.NoError(t, s.Settings().SetDeployment(t.Context(), list[0].Header.Number))
	return s, quoted(list[0].Mints[0].Contract)
}

// BenchmarkPage measures pages from parsed documents, with gqlgen's executor ("generated") and
// with the fast one ("written").
func BenchmarkPage(b *testing.B) {
	s, address := indexed(b, 100)
	for _, page := range benchPages {
		for name, schema := range map[string]fasttest.Asker{
			"generated": newAsker(s, graph.NewGenerated(s, now)),
			"written":   newAsker(s, graph.NewSchema(s.MaxPageSize(), now)),
		} {
			b.Run(page.name+"/"+name, func(b *testing.B) {
				document, err := schema.Parse(page.of(address, 90))
				expect.NoError(b, err)
				b.ReportAllocs()
				before := cpuTime(b)
				for b.Loop() {
					if r := schema.Ask(b.Context(), document, nil); len(r.Errors) > 0 || len(r.Data) < 20 {
						b.Fatal(r.Errors, string(r.Data))
					}
				}
				b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

// cpuTime returns the CPU time of this process, which depends less on the machine's load than
// the elapsed time.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	expect.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
