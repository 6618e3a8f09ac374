package indexer_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/chain"
	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// sharedFile returns the path of a file of the shared data.
func sharedFile(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", "data", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	if os.Getenv("MINTBURN_REQUIRE_ALL") != "" {
		t.Fatalf("shared data is absent: %s", name)
	}
	t.Skipf("shared data is absent: %s", name)
	return ""
}

// answer is a row of the shared data's answers.
type answer struct {
	Token    string  `json:"token_address"`
	Type     string  `json:"contract_type"`
	ID       string  `json:"token_id"`
	Hash     string  `json:"block_hash"`
	Block    uint64  `json:"block_number"`
	Tx       string  `json:"transaction_hash"`
	Log      uint32  `json:"log_index"`
	Sub      uint32  `json:"_batch"`
	From     string  `json:"from"`
	To       string  `json:"to"`
	Amount   string  `json:"amount"`
	Operator *string `json:"operator"`
	Time     uint64  `json:"block_time"`
	Reason   string  `json:"reason"`
}

func answers(t testing.TB, name string) (all []answer) {
	t.Helper()
	file, err := os.Open(sharedFile(t, "chain-a/"+name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if lines.Err() != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, error %v", name, len(all), lines.Err())
	}
	return all
}

func answerOf(r row) answer {
	a := answer{
		Token: r.Contract.String(), Type: string(r.Type), ID: r.TokenID.String(), Hash: r.Block.Hash.String(), Block: r.Block.Number,
		Tx: r.TxHash.String(), Log: r.LogIndex, Sub: r.SubIndex, From: r.From.String(), To: r.To.String(), Amount: r.Amount.String(), Time: r.Time,
	}
	if r.Type == nft.ERC1155 {
		a.Operator = ptr(r.Operator.String())
	}
	return a
}

// TestStep_Anvil indexes the recorded chain from a real node.
func TestStep_Anvil(t *testing.T) {
	wanted := [][]answer{answers(t, "all-mints.ndjson.gz"), answers(t, "all-burns.ndjson.gz")}
	address := chaintest.Anvil(t, "--load-state", sharedFile(t, "chain-a/state.json"))
	for name, databaseOf := range databases() {
		t.Run(name, func(t *testing.T) {
			r := followURLs(t, databaseOf(t), chain.ClientOptions{}, "http://"+address)
			if err := r.Run(t.Context(), true, nil); err != nil {
				t.Fatal(err)
			}
			got := r.stored(t, 0, 360)
			if diff := cmp.Diff([]evm.Range{{To: 360}}, got.Indexed); diff != "" {
				t.Errorf("coverage (-want +got):\n%s", diff)
			}
			for kind, want := range wanted {
				var have []answer
				for _, record := range got.Records[kind] {
					have = append(have, answerOf(record))
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%ss (-want +got):\n%.3000s", nft.Kind(kind), diff)
				}
			}
			var rejected, have []string
			for _, a := range answers(t, "all-rejected.ndjson") {
				rejected = append(rejected, fmt.Sprintf("%d/%d %s", a.Block, a.Log, a.Reason))
			}
			for _, text := range got.Rejected {
				place, rest, _ := strings.Cut(text, " ")
				have = append(have, place+" "+strings.SplitN(rest, " ", 5)[4])
			}
			if diff := cmp.Diff(rejected, have); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
		})
	}
}
