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

// The contracts of the recording, and the token that five prints of mondays become.
var (
	drift, mondays = address("0x5fbdb2315678afecb367f032d93f642f64180aa3"), address("0xe7f1725e7734ce288f8367e1bb143e90bb3f0512")
	sparks, embers = address("0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"), address("0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9")
	sunday         = evm.NewUint256(7)
)

func address(text string) evm.Address {
	a, err := evm.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

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
	redeemed := map[evm.Address]int{}
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
			case mint.Contract == embers && n == 3:
				redeemed[embers]++
			case mint.Contract == mondays && mint.TokenID == sunday && n == 5:
				redeemed[mondays]++
			}
		}
		rejected += len(block.Rejected)
		for _, refresh := range block.Refreshes {
			if refresh.First != refresh.Last {
				reveals++
			}
		}
	}
	if n := mints[demo.Garden]; n != demo.Flowers+2 {
		t.Errorf("got %d mints of the garden, want those of %d flowers and 2 that come back", n, demo.Flowers)
	}
	if mints[drift] != 256 || mints[sparks] != 240 || len(mints) != 6 || burns[drift] == 0 || burns[demo.Garden] == 0 {
		t.Errorf("got mints %v and burns %v", mints, burns)
	}
	if redeemed[embers] < 30 || redeemed[mondays] < 5 || reveals != 1 || rejected == 0 {
		t.Errorf("got %d embers, %d sundays, %d reveals and %d rejected logs", redeemed[embers], redeemed[mondays], reveals, rejected)
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
	expect.Equal(t, "names", map[evm.Address]string{drift: "Drift", mondays: "Five Mondays", sparks: "Sparks", embers: "Embers", demo.Garden: "Night Garden"}, names)
	expect.Equal(t, "tokens", map[evm.Address]int{drift: 256, mondays: 7, sparks: 240, embers: 48, demo.Garden: demo.Flowers}, tokens)
	if documents[drift] <= 2*256 {
		t.Errorf("got %d documents of Drift, want two of each token and a third of some", documents[drift])
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
