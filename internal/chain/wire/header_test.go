package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/chain/wire"
	"mintburn/internal/testing/expect"
)

// TestHeader_Unknown checks that fields that Ethereum block objects lack are listed.
func TestHeader_Unknown(t *testing.T) {
	text, err := json.Marshal(&types.Header{})
	expect.NoError(t, err)
	var header wire.Header
	for _, add := range []string{`"size":"0x1","uncles":[]`, `"sealFields":[],"hash2":"0x"`} {
		r := wire.NewReader()
		header.Reset()
		r.Reset(append(text[:len(text)-1:len(text)-1], ","+add+"}"...))
		expect.NoError(t, header.Read(r))
		want := 0
		if add[1] == 's' && add[2] == 'e' {
			want = 2
		}
		if len(header.Unknown) != want {
			t.Errorf("with %s: unknown are %q, want %d", add, header.Unknown, want)
		}
	}
}
