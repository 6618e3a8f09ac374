package command_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
)

// TestImport_Numbering binds a database to how its chain numbers logs, and refuses
// lines that contradict it, or that do not tell.
func TestImport_Numbering(t *testing.T) {
	stable, err := json.Marshal(chaintest.RecordedBlock(t, "stable-testnet-42767022"))
	if err != nil {
		t.Fatal(err)
	}
	cronos, err := json.Marshal(chaintest.RecordedBlock(t, "cronos-11446765"))
	if err != nil {
		t.Fatal(err)
	}
	zero := strings.Repeat("0", 64)
	list := func(tx int) string {
		log := fmt.Sprintf(`{"address":%q,"topics":["0x%s"],"data":"0x","transactionHash":"0x%s","transactionIndex":"%#x","logIndex":"0x0"}`, evm.Address{}, zero, zero, tx)
		return fmt.Sprintf(`{"block":{"number":"0x7","hash":"0x%s","parentHash":"0x%s","timestamp":"0x1"},"logs":[%s]}`, strings.Repeat("7", 64), zero, log)
	}
	const transactions, block = "in each transaction: want the receipts", "do not grow through the block"
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"receipts of each transaction, a list":                     {[]string{string(stable), list(1)}, "stdin:2: logs of a chain whose log indices begin again " + transactions},
		"receipts of each transaction, a list of the first":        {[]string{string(stable), list(0)}, ""},
		"receipts through the block, receipts of each":             {[]string{string(cronos), string(stable)}, "stdin:2: the log indices " + block},
		"a list, receipts of each transaction":                     {[]string{list(1), string(stable)}, "stdin:2: the log indices " + block},
		"a list of the first, receipts of each transaction":        {[]string{list(0), string(stable)}, ""},
		"receipts of each transaction, receipts through the block": {[]string{string(stable), string(cronos)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			// In one file, and in two, of which the second is another process's.
			for _, files := range [][]string{{strings.Join(test.lines, "\n")}, test.lines} {
				db, failed := emptyDB(t), ""
				for _, text := range files {
					if _, stderr, code := run(t, strings.NewReader(text), "import", "--db", db, "-"); code != 0 {
						failed = stderr
					}
				}
				want := test.want
				if len(files) > 1 {
					want = strings.Replace(want, "stdin:2", "stdin:1", 1)
				}
				if !strings.Contains(failed, want) || want == "" && failed != "" {
					t.Errorf("%d files: got %q, want %q", len(files), failed, want)
				}
			}
		})
	}
}
