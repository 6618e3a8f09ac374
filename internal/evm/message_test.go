package evm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// TestMessages checks errors that clients see. They repeat the input as written, up to a
// bound, and state what is accepted.
func TestMessages(t *testing.T) {
	const (
		wantBigInt  = ", want an integer from 0 to 2^256-1, decimal or 0x-hex"
		wantLong    = ", want an integer from 0 to 2^53-1, decimal or 0x-hex"
		wantBlock   = ", want a number from 0 to 2^53-1, decimal or 0x-hex, a hash of 0x and 64 hex digits, or latest, finalized or earliest"
		wantAddress = ", want 0x and 40 hex digits"
	)
	bigInt := func(v any) error { return new(evm.Uint256).UnmarshalGQL(v) }
	long := func(v any) error { return new(evm.Long).UnmarshalGQL(v) }
	block := func(v any) error { return new(evm.BlockNumberOrHash).UnmarshalGQL(v) }
	address := func(v any) error { return new(evm.Address).UnmarshalGQL(v) }
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"string":         {bigInt("x"), `got "x"` + wantBigInt},
		"quoted string":  {bigInt(`"1"`), `got "\"1\""` + wantBigInt},
		"null":           {bigInt(nil), `got null` + wantBigInt},
		"bool":           {bigInt(true), `got true` + wantBigInt},
		"float":          {bigInt(1.5), `got 1.5` + wantBigInt},
		"list":           {bigInt([]any{"secret"}), `got list` + wantBigInt},
		"object":         {bigInt(map[string]any{"a": 1}), `got object` + wantBigInt},
		"number":         {bigInt(json.Number("1e3")), `got "1e3"` + wantBigInt},
		"long string":    {bigInt(strings.Repeat("x", 81)), `got "` + strings.Repeat("x", 80) + `"…` + wantBigInt},
		"not too long":   {bigInt(strings.Repeat("x", 80)), `got "` + strings.Repeat("x", 80) + `"` + wantBigInt},
		"long by a rune": {bigInt(strings.Repeat("x", 79) + "é"), `got "` + strings.Repeat("x", 79) + `"…` + wantBigInt},
		"Long":           {long(-1), `got "-1"` + wantLong},
		"Long of bool":   {long(false), `got false` + wantLong},
		"block":          {block("safe"), `got "safe"` + wantBlock},
		"block of bool":  {block(true), `got true` + wantBlock},
		"address":        {address("0x0"), `got "0x0"` + wantAddress},
		"address, int":   {address(int64(5)), `got 5` + ", want a string of 0x and 40 hex digits"},
		"JSON escapes": {
			json.Unmarshal([]byte(`"\u0030x00"`), new(evm.Address)),
			`got "\\u0030x00"` + wantAddress,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.err == nil {
				t.Fatal("no error")
			}
			expect.Equal(t, "message", test.want, test.err.Error())
		})
	}
}
