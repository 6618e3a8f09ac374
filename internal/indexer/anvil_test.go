package indexer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// checkKey compares the database with the recorded chain's answers up to block to. It
// skips the ignored fields, which differ if another node mines the same transactions.
func (r *rig) checkKey(t testing.TB, want [3][]chaintest.Answer, to uint64, ignored ...string) {
	t.Helper()
	got := r.stored(t, 0, to)
	expect.Equal(t, "coverage", []evm.Range{{To: to}}, got.Indexed)
	var have [3][]chaintest.Answer
	for kind, records := range got.Records {
		for _, record := range records {
			have[kind] = append(have[kind], answerOf(record))
		}
	}
	for _, text := range got.Rejected {
		var rejected chaintest.Answer
		_, err := fmt.Sscanf(text, "%d/%d", &rejected.Block, &rejected.Log)
		expect.NoError(t, err)
		rejected.Reason = strings.SplitN(text, " ", 6)[5]
		have[2] = append(have[2], rejected)
	}
	expect.Equal(t, "answers", want, have, cmpopts.IgnoreFields(chaintest.Answer{}, ignored...))
}

func answerOf(r row) chaintest.Answer { return chaintest.AnswerOf(r.Block, r.Time, r.Record) }

// TestStep_Anvil indexes the recorded chain from a real node.
func TestStep_Anvil(t *testing.T) {
	long(t)
	want := chaintest.WantAnswers(t)
	address := chaintest.Anvil(t, "--load-state", chaintest.Data(t, "chain-a/state.json"))
	onEach(t, func(t *testing.T, dsn string) {
		r := followURLs(t, dsn, jsonrpc.Options{}, "http://"+address)
		expect.NoError(t, r.Run(t.Context(), true, nil))
		r.checkKey(t, want, 360)
	})
}
