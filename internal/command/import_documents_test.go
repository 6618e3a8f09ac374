package command_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestImport_LargeDocuments imports token documents whose bytes fill a batch long
// before their number does. It runs a process, because an import that hangs must
// not hold up the tests.
func TestImport_LargeDocuments(t *testing.T) {
	for name, c := range map[string]struct{ documents, bytes int }{
		"a few of 4 MB":     {6, 4_000_000},
		"hundreds of 50 kB": {400, 50_000},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var text strings.Builder
			for i := range c.documents {
				fmt.Fprintf(&text, `{"metadata":{"address":"0x00000000000000000000000000000000000000cc","tokenId":"%d","uri":"ipfs://%d","fetchedAt":1700000000,"document":"{\"name\":\"%d\",\"padding\":\"%s\"}"}}`+"\n",
					i, i, i, strings.Repeat("x", c.bytes))
			}
			db := filepath.Join(t.TempDir(), "documents.db")
			process := exec.CommandContext(ctx, "mintburn", "import", "--db", db, "-")
			process.Stdin = strings.NewReader(text.String())
			said, err := process.CombinedOutput()
			if want := fmt.Sprintf("%d token documents.\n", c.documents); err != nil || !strings.HasSuffix(string(said), want) {
				t.Fatalf("%v: %q, want a line that ends in %q", err, said, want)
			}
		})
	}
}
