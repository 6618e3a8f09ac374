package counter_test

import (
	"bytes"
	"fmt"
	"testing"

	"mintburn/internal/store/counter"
	"mintburn/internal/testing/expect"
)

// TestAmount_Scan checks that each amount is read as it was stored, from no byte to all 40,
// and that no other bytes are accepted.
func TestAmount_Scan(t *testing.T) {
	for size := range 41 {
		stored := append([]byte{byte(size)}, bytes.Repeat([]byte{0xfe}, size)...)
		var a counter.Amount
		expect.NoError(t, a.Scan(stored))
		expect.Equal(t, fmt.Sprint(size, " bytes"), stored, a.Bytes())
	}
	for name, stored := range map[string]any{
		"null":             nil,
		"text":             "1",
		"no bytes":         []byte{},
		"length too small": []byte{1, 1, 1},
		"length too large": []byte{2, 1},
		"a leading zero":   []byte{2, 0, 1},
		"41 bytes":         append([]byte{41}, bytes.Repeat([]byte{1}, 41)...),
	} {
		a := counter.Amount{7}
		if err := a.Scan(stored); err == nil || a != (counter.Amount{7}) {
			t.Errorf("%s: got %v, error %v", name, a, err)
		}
	}
}
