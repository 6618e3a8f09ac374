package fastql

import (
	"fmt"
	"testing"
)

// TestNull checks that null is written only where the schema allows it, and a value of an
// unknown type of an interface never. gqlgen's execution reports them.
func TestNull(t *testing.T) {
	for nonNull, want := range map[bool]string{false: "null <nil>", true: " " + errUnwritten.Error()} {
		object := Object(Selection[int]{}, nonNull)
		one := Abstract[any](nonNull, Implements(object, func(v any) (*int, bool) { n, ok := v.(*int); return n, ok }))
		b, err := object.append(t.Context(), nil, nil)
		if got := fmt.Sprintf("%s %v", b, err); got != want {
			t.Errorf("an object: got %s, want %s", got, want)
		}
		b, err = one.append(t.Context(), nil, nil)
		if got := fmt.Sprintf("%s %v", b, err); got != want {
			t.Errorf("an interface: got %s, want %s", got, want)
		}
		if b, err := one.append(t.Context(), nil, "another"); b != nil || err != errUnwritten {
			t.Errorf("another type: got %s and %v", b, err)
		}
	}
}
