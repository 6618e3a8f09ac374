package negotiate

import "testing"

func TestIsSafe(t *testing.T) {
	for built, want := range map[string]bool{
		"go1.26.9":                    true,
		"go1.26.10":                   true,
		"go1.27rc1":                   true,
		"go1.30.1":                    true,
		"go1.26.9 X:jsonv2":           true,
		"go1.26.9-vendor":             true,
		"go1.26.8":                    false,
		"go1.26.8 X:jsonv2":           false,
		"go1.26.0":                    false,
		"go1.26rc2":                   false,
		"go1.26":                      false,
		"go1.9":                       false,
		"devel go1.27-4a61f1c Tue":    false,
		"devel +4a61f1c Tue Aug 2026": false,
		"":                            false,
	} {
		if got := isSafe(built); got != want {
			t.Errorf("%q: got %t, want %t", built, got, want)
		}
	}
}
