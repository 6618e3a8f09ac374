package httpapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/testing/expect"
)

// BenchmarkSubscription measures how long a new block takes to reach 1,000 subscribers after its
// commit, and the CPU time of the whole, clients included: subscribers with the same filter, with
// ten, and each with its own.
func BenchmarkSubscription(b *testing.B) {
	const subscribers = 1_000
	for _, filters := range []int{1, 10, subscribers} {
		b.Run(fmt.Sprintf("filters=%d", filters), func(b *testing.B) {
			blocks := recordedBlocks(b)
			db := storeOf(b, blocks[:13])
			s := online(b, serveStore(b, db, withTimes(func(l *httpapi.Limits) { l.ClientSubscriptions, l.Concurrency = subscribers, 4 })))
			addresses := map[evm.Address]bool{}
			for _, block := range blocks {
				for _, r := range slices.Concat(block.Mints, block.Burns) {
					addresses[r.Contract] = true
				}
			}
			var all []string
			for a := range addresses {
				all = append(all, a.String())
			}
			all = all[:min(len(all), 90)]
			arrived := make(chan time.Time, subscribers)
			var ready sync.WaitGroup
			for i := range subscribers {
				given, err := json.Marshal(append(slices.Clone(all), fmt.Sprintf("0x%040x", i%filters)))
				expect.NoError(b, err)
				body := `{"query":"subscription($a: [Address!]) { changes(addresses: $a) { cursor more changes { kind cursor ... on RecordAdded { transfer { id tokenAddress tokenId from to blockNumber } } } } }","variables":{"a":` + string(given) + `}}`
				conn := dial(b, s.Base)
				_, err = fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s", asEvents, len(body), body)
				expect.NoError(b, err)
				ready.Add(1)
				go func() {
					in, first := bufio.NewReader(conn), true
					for {
						line, err := in.ReadString('\n')
						switch {
						case err != nil:
							return
						case !strings.HasPrefix(line, "data: "):
						case first:
							first = false
							ready.Done()
						default:
							arrived <- time.Now()
						}
					}
				}()
			}
			ready.Wait()
			next := 13
			var took []time.Duration
			began, reached := cpu(), 0
			for b.Loop() {
				for len(blocks[next].Mints)+len(blocks[next].Burns) == 0 {
					next++
				}
				if next++; next == len(blocks)-1 {
					break
				}
				_, err := db.Apply(b.Context(), blocks[next-1:next])
				expect.NoError(b, err)
				committed := time.Now()
				for range subscribers {
					took = append(took, (<-arrived).Sub(committed))
				}
				reached++
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "median-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "p99-ms")
			b.ReportMetric(float64((cpu()-began).Milliseconds())/float64(reached), "cpu-ms/block")
		})
	}
}

// cpu returns the CPU time of the process.
func cpu() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
