package demo_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"mintburn/internal/chain/recording"
	"mintburn/internal/demo"
	"mintburn/internal/demo/art"
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

// TestOpen_Blocks checks that the blocks are proven and linked, and that each part of the story
// happens.
func TestOpen_Blocks(t *testing.T) {
	recording, err := recording.Open([]string{"-"}, demo.Open())
	expect.NoError(t, err)
	var decoder nft.Decoder
	var parent evm.Header
	blocks, mints, burns, rejected, reveals := uint64(0), map[evm.Address]int{}, map[evm.Address]int{}, 0, 0
	redeemed := map[*art.Collection]int{}
	for item, err := range recording.Items(t.Context()) {
		expect.NoError(t, err)
		if item.Document != nil {
			continue
		}
		block, err := decoder.DecodeBlock(*item.Block)
		expect.NoError(t, err)
		h := block.Header
		if h.Number != blocks || !item.Proven || blocks > 0 && (h.ParentHash != parent.Hash || h.Time <= parent.Time) {
			t.Fatalf("got block %d, proven: %t, want block %d, proven by its receipts, after its parent", h.Number, item.Proven, blocks)
		}
		parent = h
		blocks++
		burned := map[evm.Hash]int{}
		for _, burn := range block.Burns {
			burns[burn.Contract]++
			burned[burn.TxHash]++
		}
		for _, mint := range block.Mints {
			mints[mint.Contract]++
			switch n := burned[mint.TxHash]; {
			case mint.Contract == art.Embers.Address && n == 3:
				redeemed[art.Embers]++
			case mint.Contract == art.Mondays.Address && mint.TokenID == evm.NewUint256(art.Sunday) && n == 5:
				redeemed[art.Mondays]++
			}
		}
		rejected += len(block.Rejected)
		for _, refresh := range block.Refreshes {
			if refresh.First != refresh.Last {
				reveals++
			}
		}
	}
	if n := mints[art.Garden.Address]; n != art.Flowers+2 {
		t.Errorf("got %d mints of the garden, want those of %d flowers and 2 that come back", n, art.Flowers)
	}
	if mints[art.Drift.Address] != 256 || mints[art.Sparks.Address] != 240 || len(mints) != 6 || burns[art.Drift.Address] == 0 || burns[art.Garden.Address] == 0 {
		t.Errorf("got mints %v and burns %v", mints, burns)
	}
	if redeemed[art.Embers] < 30 || redeemed[art.Mondays] < 5 || reveals != 1 || rejected == 0 {
		t.Errorf("got %d embers, %d sundays, %d reveals and %d rejected logs", redeemed[art.Embers], redeemed[art.Mondays], reveals, rejected)
	}
}

// TestOpen_Documents checks that all documents can be read and all pictures are valid.
func TestOpen_Documents(t *testing.T) {
	recording, err := recording.Open([]string{"-"}, demo.Open())
	expect.NoError(t, err)
	names, documents, tokens := map[evm.Address]string{}, map[evm.Address]int{}, map[evm.Address]int{}
	last := map[nft.TokenKey]uint64{}
	for item, err := range recording.Items(t.Context()) {
		expect.NoError(t, err)
		d := item.Document
		if d == nil {
			continue
		}
		if d.OfCollection {
			m, err := metadata.NormaliseCollection(d.Raw)
			expect.NoError(t, err)
			if m.Symbol == nil || m.ExternalURL == nil || len(m.Collaborators) == 0 {
				t.Errorf("%s: %s", d.Contract, d.Raw)
			}
			names[d.Contract] = *m.Name
			checkPicture(t, *m.Image)
			continue
		}
		m, err := metadata.Normalise(d.Raw, nft.ERC721, d.TokenID)
		expect.NoError(t, err)
		if m.Name == nil || d.FetchedAt <= last[d.TokenKey] {
			t.Errorf("%s %s: %s at %d, after %d", d.Contract, d.TokenID, d.Raw, d.FetchedAt, last[d.TokenKey])
		}
		checkPicture(t, *m.Image)
		documents[d.Contract]++
		if last[d.TokenKey] == 0 {
			tokens[d.Contract]++
		}
		last[d.TokenKey] = d.FetchedAt
	}
	for _, c := range art.All {
		expect.Equal(t, "name", c.Name, names[c.Address])
	}
	a := func(c *art.Collection) evm.Address { return c.Address }
	expect.Equal(t, "tokens", map[evm.Address]int{a(art.Drift): 256, a(art.Mondays): 7, a(art.Sparks): 240, a(art.Embers): 48, a(art.Garden): art.Flowers}, tokens)
	if documents[a(art.Drift)] <= 2*256 {
		t.Errorf("got %d documents of Drift, want two of each token and a third of some", documents[a(art.Drift)])
	}
}

// checkPicture checks that an image is a data: URI of an XML document.
func checkPicture(t *testing.T, image string) {
	t.Helper()
	mediaType, svg, err := metadata.DecodeDataURI(image)
	if err == nil {
		err = xml.Unmarshal(svg, new(struct{}))
	}
	if err != nil || !strings.HasPrefix(mediaType, "image/svg+xml") {
		t.Errorf("%s: %v", image, err)
	}
}
