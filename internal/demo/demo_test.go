package demo_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/demo"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

func TestOpen_Size(t *testing.T) {
	size, err := io.Copy(io.Discard, demo.Open())
	if err != nil {
		t.Fatal(err)
	}
	if size == 0 || size >= 1<<20 {
		t.Errorf("the recording has %d bytes, want 1 to 1 MiB", size)
	}
}

func TestOpen_Content(t *testing.T) {
	unpacked, err := gzip.NewReader(demo.Open())
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	var parent string
	blocks := 0
	documents, pictures := map[string]int{}, 0
	for lines.Scan() {
		var line struct {
			Block    *struct{ Number, Hash, ParentHash string }
			Receipts []json.RawMessage
			Metadata *struct {
				Address       evm.Address
				TokenID       evm.Uint256
				URI, Document string
				FetchedAt     uint64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if block := line.Block; block != nil {
			if want := fmt.Sprintf("%#x", blocks); block.Number != want || line.Receipts == nil {
				t.Fatalf("block %s with %d receipts, want block %s with receipts", block.Number, len(line.Receipts), want)
			}
			if blocks > 0 && block.ParentHash != parent {
				t.Fatalf("block %s does not follow the one before", block.Number)
			}
			parent = block.Hash
			blocks++
			continue
		}
		document := line.Metadata
		if document == nil || document.URI == "" || document.FetchedAt == 0 {
			t.Fatalf("neither a block nor a token document: %.200s", lines.Text())
		}
		normalised, err := metadata.Normalise(document.Document, nft.ERC721, document.TokenID)
		if err != nil {
			t.Errorf("%s %s: %v", document.Address, document.TokenID, err)
		} else if strings.Contains(document.Document, "127.0.0.1") {
			t.Errorf("%s %s links to a site that is not there: %s", document.Address, document.TokenID, document.Document)
		}
		if image := normalised.Image; image != nil && strings.HasPrefix(*image, "data:image/svg+xml,") {
			_, svg, err := metadata.DecodeDataURI(*image)
			if err == nil {
				err = xml.Unmarshal(svg, new(struct{}))
			}
			if err != nil {
				t.Errorf("%s %s: the picture %s: %v", document.Address, document.TokenID, *image, err)
			}
			pictures++
		}
		documents[document.Address.String()]++
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if pictures != 152 {
		t.Errorf("got %d drawn pictures, want 152", pictures)
	}
	if blocks != 361 {
		t.Errorf("got %d blocks, want 361", blocks)
	}
	want := map[string]int{
		"0x5fbdb2315678afecb367f032d93f642f64180aa3": 120, // ERC-721, burned tokens among them
		"0x71c95911e9a5d330f4d621842ec243ee1343292e": 32,  // ERC-1155
		"0x8464135c8f25da09e49bc8782676a84730c318bc": 10,  // ERC-721 with changed URIs
		"0xe7f1725e7734ce288f8367e1bb143e90bb3f0512": 12,  // ERC-721 with data: URIs
	}
	if diff := cmp.Diff(want, documents); diff != "" {
		t.Errorf("documents by collection (-want +got):\n%s", diff)
	}
}
