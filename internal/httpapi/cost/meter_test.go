package cost

import "testing"

// TestPlus checks that sums and products saturate at the maximum cost.
func TestPlus(t *testing.T) {
	if got := times(1_000_000, mostCost); got != mostCost {
		t.Errorf("the largest cost times a million is %d", got)
	}
	if got := Plus(mostCost, mostCost); got != mostCost {
		t.Errorf("the largest cost twice is %d", got)
	}
}
