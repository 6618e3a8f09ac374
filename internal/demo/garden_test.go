package demo

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// TestGarden_AsRecorded checks that the tokens of the live blocks look like those of the recording.
func TestGarden_AsRecorded(t *testing.T) {
	unpacked, err := gzip.NewReader(Open())
	expect.NoError(t, err)
	lines, n := bufio.NewScanner(unpacked), 0
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var line struct {
			Metadata struct {
				Address       evm.Address
				TokenID       uint64
				URI, Document string
			}
		}
		expect.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		if m := line.Metadata; m.Address == Garden {
			expect.Equal(t, "document", textOf(m.TokenID), m.Document)
			expect.Equal(t, "URI", uriOf(m.TokenID), m.URI)
			n++
		}
	}
	expect.NoError(t, lines.Err())
	expect.Equal(t, "documents", Flowers, n)
}
