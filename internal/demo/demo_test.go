package demo_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/demo"
	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

func TestOpen_Size(t *testing.T) {
	size, err := io.Copy(io.Discard, demo.Open())
	expect.NoError(t, err)
	if size == 0 || size >= 1<<20 {
		t.Errorf("the recording has %d bytes, want 1 to 1 MiB", size)
	}
}

func TestOpen_Content(t *testing.T) {
	recording, err := recording.Open([]string{"-"}, demo.Open())
	expect.NoError(t, err)
	var parent evm.Hash
	blocks := uint64(0)
	documents, pictures := map[string]int{}, 0
	for item, err := range recording.Items(t.Context()) {
		expect.NoError(t, err)
		if block := item.Block; block != nil {
			if block.Header.Number != blocks || !item.Proven || blocks > 0 && block.Header.ParentHash != parent {
				t.Fatalf("got block %d, proven: %t, want block %d, proven by its receipts and linked to its parent", block.Header.Number, item.Proven, blocks)
			}
			parent = block.Header.Hash
			blocks++
			continue
		}
		document := item.Document
		if document.URI == "" || document.FetchedAt == 0 {
			t.Fatalf("document without URI or time: %+v", document)
		}
		normalised, err := metadata.Normalise(document.Raw, nft.ERC721, document.TokenID)
		if err != nil {
			t.Errorf("%s %s: %v", document.Contract, document.TokenID, err)
		} else if strings.Contains(document.Raw, "127.0.0.1") {
			t.Errorf("%s %s links to the recorded site: %s", document.Contract, document.TokenID, document.Raw)
		}
		if image := normalised.Image; image != nil && strings.HasPrefix(*image, "data:image/svg+xml,") {
			_, svg, err := metadata.DecodeDataURI(*image)
			if err == nil {
				err = xml.Unmarshal(svg, new(struct{}))
			}
			if err != nil {
				t.Errorf("%s %s: the picture %s: %v", document.Contract, document.TokenID, *image, err)
			}
			pictures++
		}
		documents[document.Contract.String()]++
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
	expect.Equal(t, "documents by collection", want, documents)
}
