package evm_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"mintburn/internal/evm"
)

// TestUint256_AppendGQL compares the digits with math/big's, for integers next to the powers
// of two and of ten, and for random integers of every length.
func TestUint256_AppendGQL(t *testing.T) {
	values := edges(t)
	add := func(n *big.Int) {
		values = append(values, evm.Uint256FromWord([32]byte(n.FillBytes(make([]byte, 32)))))
	}
	one := big.NewInt(1)
	for power := big.NewInt(1); power.BitLen() <= 256; power = new(big.Int).Mul(power, big.NewInt(10)) {
		add(new(big.Int).Sub(power, one))
		add(power)
		add(new(big.Int).Add(power, one))
	}
	random := rand.New(rand.NewPCG(1, 0))
	for range 100_000 {
		var word [32]byte
		for i := random.IntN(32); i < 32; i++ {
			word[i] = byte(random.Uint32())
		}
		values = append(values, evm.Uint256FromWord(word))
	}
	room := make([]byte, 0, 128)
	for _, value := range values {
		word := value.Word()
		want := new(big.Int).SetBytes(word[:]).String()
		if quoted := value.AppendGQL(append(room, "before "...)); string(quoted) != `before "`+want+`"` {
			t.Fatalf("AppendGQL: got %s, want %s after the existing bytes", quoted, want)
		}
		if value.String() != want {
			t.Fatalf("String: got %s, want %s", value, want)
		}
	}
}

func TestUint256_AppendDoesNotAllocate(t *testing.T) {
	room := make([]byte, 0, 128)
	for _, text := range []string{"0", "18446744073709551615", "18446744073709551616", maxUint256} {
		value := mustUint256(t, text)
		if n := testing.AllocsPerRun(100, func() { room = value.AppendGQL(room[:0]) }); n != 0 {
			t.Errorf("%s: %.0f allocations", text, n)
		}
	}
}

func BenchmarkUint256_AppendGQL(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"small", "4711"},
		{"64 bits", "18446744073709551615"},
		{"128 bits", "340282366920938463463374607431768211455"},
		{"256 bits", maxUint256},
	} {
		b.Run(bench.name, func(b *testing.B) {
			value, room := mustUint256(b, bench.text), make([]byte, 0, 128)
			b.ReportAllocs()
			for b.Loop() {
				room = value.AppendGQL(room[:0])
			}
		})
	}
}

func BenchmarkUint256_String(b *testing.B) {
	value := mustUint256(b, maxUint256)
	b.ReportAllocs()
	for b.Loop() {
		_ = value.String()
	}
}
