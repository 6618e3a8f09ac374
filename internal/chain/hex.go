package chain

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// These read JSON values as they stand in a line. They take bytes where the
// codecs of package evm take strings: a block has thousands of them, and none
// may cost an allocation.

// hexDigits returns the digits of a JSON string of 0x and hex digits, which it
// does not check.
func hexDigits(raw []byte) (digits []byte, ok bool) {
	n := len(raw)
	if n < 4 || raw[0] != '"' || raw[1] != '0' || raw[2]|0x20 != 'x' || raw[n-1] != '"' {
		return nil, false
	}
	return raw[3 : n-1], true
}

// decodeFixed fills dst from a JSON string of 0x and 2*len(dst) hex digits of
// any case.
func decodeFixed(dst, raw []byte) error {
	digits, ok := hexDigits(raw)
	if ok && len(digits) == 2*len(dst) {
		if _, err := hex.Decode(dst, digits); err == nil {
			return nil
		}
	}
	return fmt.Errorf("invalid value %s: want 0x and %d hex digits", excerpt(raw), 2*len(dst))
}

// appendData appends the bytes of a JSON string of 0x and an even number of
// hex digits of any case.
func appendData(dst, raw []byte) ([]byte, error) {
	digits, ok := hexDigits(raw)
	if ok {
		if longer, err := hex.AppendDecode(dst, digits); err == nil {
			return longer, nil
		}
	}
	return dst, fmt.Errorf("invalid value %s: want 0x and an even number of hex digits", excerpt(raw))
}

// quantity reads a JSON string of 0x and hex digits, or of decimal digits, or a
// JSON integer, of at most most.
func quantity(raw []byte, most uint64) (uint64, error) {
	digits, base := raw, 10
	if hexed, ok := hexDigits(raw); ok {
		digits, base = hexed, 16
	} else if len(raw) > 1 && raw[0] == '"' {
		digits = raw[1 : len(raw)-1]
	}
	n, err := strconv.ParseUint(string(digits), base, 64)
	if err != nil || n > most {
		return 0, fmt.Errorf("invalid value %s: want an integer from 0 to %d", excerpt(raw), most)
	}
	return n, nil
}

// excerpt returns the beginning of a value for an error, so that a line can
// not make a message of any size or with control characters.
func excerpt(raw []byte) string {
	const most = 80
	if len(raw) > most {
		return strconv.QuoteToASCII(string(raw[:most])) + "…"
	}
	return strconv.QuoteToASCII(string(raw))
}
