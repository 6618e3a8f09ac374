package evm

import (
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestParseTime parses the accepted forms of times, and refuses others.
func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]Long{
		"0":                         {0, 0},
		"1801353600":                {1801353600, 1801353600},
		"0x10":                      {16, 16},
		"1970-01-01":                {0, 86399},
		"2027-01-31":                {1801353600, 1801353600 + 86399},
		"2028-02-29":                {1835395200, 1835395200 + 86399},
		"2027-01-31T00:00:00Z":      {1801353600, 1801353600},
		"2027-01-31T12:00:00+02:00": {1801353600 + 36000, 1801353600 + 36000},
		"1970-01-01T00:00:00Z":      {0, 0},
	} {
		first, last, err := ParseTime(text)
		expect.NoError(t, err)
		if first != want[0] || last != want[1] {
			t.Errorf("%s: got %d to %d, want %d", text, first, last, want)
		}
	}
	for _, text := range []string{
		"", "yesterday", "-5", "1.5", "9007199254740992", "2027-01-31T12:00:00", "2027-01-31 12:00:00Z", "2027-01-31T12:00:00.5Z", "2027-01-31T12:00:00.0Z", "2027-01-31T12:00:00,5Z",
		"2027-01-31T1:00:00Z", "2027-02-30", "2027-1-31", "1969-12-31", "1969-12-31T23:59:59Z", "2027-01", " 2027-01-31",
	} {
		if _, _, err := ParseTime(text); err == nil || !strings.Contains(err.Error(), "want Unix seconds such as") {
			t.Errorf("%q: error %v", text, err)
		}
	}
	if _, err := ParseLong("2027-01-31"); err == nil || !strings.Contains(err.Error(), "Unix seconds, here 1801353600") {
		t.Errorf("a date as a number: error %v", err)
	}
}
