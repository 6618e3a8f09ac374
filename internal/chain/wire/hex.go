package wire

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// hexDigits returns the digits of a JSON string of 0x and hex digits, without validating
// them.
func hexDigits(raw []byte) (digits []byte, ok bool) {
	n := len(raw)
	if n < 4 || raw[0] != '"' || raw[1] != '0' || raw[2]|0x20 != 'x' || raw[n-1] != '"' {
		return nil, false
	}
	return raw[3 : n-1], true
}

// AppendData appends the bytes of a JSON string of 0x and an even number of hex digits
// in either case; "0x0" is how some nodes write no bytes. It fails for other values.
func AppendData(dst, raw []byte) ([]byte, error) {
	digits, ok := hexDigits(raw)
	if string(digits) == "0" {
		return dst, nil
	}
	if ok {
		if longer, err := hex.AppendDecode(dst, digits); err == nil {
			return longer, nil
		}
	}
	return dst, fmt.Errorf("invalid value %s: want 0x and an even number of hex digits", excerpt(raw))
}

// Quantity parses a JSON string of 0x and hex digits, a JSON string of decimal digits, or
// a JSON integer. It fails for other values, and for numbers above limit.
func Quantity(raw []byte, limit uint64) (uint64, error) {
	digits, base := raw, 10
	if hexed, ok := hexDigits(raw); ok {
		digits, base = hexed, 16
	} else if len(raw) > 1 && raw[0] == '"' {
		digits = raw[1 : len(raw)-1]
	}
	n, err := strconv.ParseUint(string(digits), base, 64)
	if err != nil || n > limit {
		return 0, fmt.Errorf("invalid value %s: want an integer from 0 to %d", excerpt(raw), limit)
	}
	return n, nil
}
