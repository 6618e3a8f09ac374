package counter

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"mintburn/internal/evm"
)

// Amount is the sum of the amounts of records: an unsigned 320-bit integer, which fits
// 2^63 records of 2^256-1 each. The zero value is 0, and values are comparable with ==.
// Add and Sub wrap modulo 2^320, so a change may be negative.
type Amount [5]uint64 // The lowest 64 bits come first.

// AmountOf returns u, the amount of one record, as an Amount.
func AmountOf(u evm.Uint256) Amount { return Amount{u[0], u[1], u[2], u[3]} }

// ones returns the amount of n records of one token each.
func ones(n int64) Amount { return Amount{1}.Times(n) }

// Add returns a + b.
func (a Amount) Add(b Amount) (sum Amount) {
	carry := uint64(0)
	for i := range a {
		sum[i], carry = bits.Add64(a[i], b[i], carry)
	}
	return sum
}

// Sub returns a - b.
func (a Amount) Sub(b Amount) (diff Amount) {
	borrow := uint64(0)
	for i := range a {
		diff[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
	return diff
}

// Times returns a * n.
func (a Amount) Times(n int64) (product Amount) {
	if n < 0 {
		return Amount{}.Sub(a.Times(-n))
	}
	carry := uint64(0)
	for i := range a {
		high, low := bits.Mul64(a[i], uint64(n))
		var more uint64
		product[i], more = bits.Add64(low, carry, 0)
		carry = high + more
	}
	return product
}

// Cmp returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Amount) Cmp(b Amount) int {
	for i := len(a) - 1; i >= 0; i-- {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}

// Uint256 returns a, and false if it is 2^256 or more.
func (a Amount) Uint256() (u evm.Uint256, ok bool) {
	copy(u[:], a[:4])
	return u, a[4] == 0
}

// String returns a in decimal if it is below 2^256, else in hex with 0x.
func (a Amount) String() string {
	if u, ok := a.Uint256(); ok {
		return u.String()
	}
	return fmt.Sprintf("0x%x", a.Bytes()[1:])
}

// amountSize is the largest number of significant bytes of an amount.
const amountSize = 40

// Bytes returns the SQL form of a, the same as that of [evm.Uint256]: one byte with the
// number of significant bytes, then these bytes in big-endian order.
func (a Amount) Bytes() []byte {
	b := make([]byte, 1+amountSize)
	for i, limb := range a {
		binary.BigEndian.PutUint64(b[1+amountSize-8*(i+1):], limb)
	}
	zeros := 0
	for zeros < amountSize && b[1+zeros] == 0 {
		zeros++
	}
	b = b[zeros:]
	b[0] = byte(amountSize - zeros)
	return b
}

// Scan implements [database/sql.Scanner]. It accepts only the output of [Amount.Bytes].
func (a *Amount) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("stored amount: got %T, want bytes", src)
	}
	if len(b) == 0 || len(b) > 1+amountSize || int(b[0]) != len(b)-1 || len(b) > 1 && b[1] == 0 {
		return fmt.Errorf("stored amount: got %d bytes, want a length byte and at most %d bytes, the first not 0", len(b), amountSize)
	}
	var word [amountSize]byte
	copy(word[amountSize-len(b)+1:], b[1:])
	for i := range a {
		a[i] = binary.BigEndian.Uint64(word[amountSize-8*(i+1):])
	}
	return nil
}

// Tally is a number of records and the sum of their amounts.
type Tally struct {
	N      int64
	Amount Amount
}

// Ones returns the tally of n records of one token each, such as ERC-721 records.
func Ones(n int64) Tally { return Tally{n, ones(n)} }

// Plus returns t + other.
func (t Tally) Plus(other Tally) Tally {
	return Tally{t.N + other.N, t.Amount.Add(other.Amount)}
}

// Minus returns t - other, which may be negative.
func (t Tally) Minus(other Tally) Tally {
	return Tally{t.N - other.N, t.Amount.Sub(other.Amount)}
}

// Excess returns the amount minus the number of records. It is below 0 if records have the
// amount 0.
func (t Tally) Excess() Amount { return t.Amount.Sub(ones(t.N)) }

// Single reports whether the amount equals the number of records, as with records of one
// token each. The database then stores no amount.
func (t Tally) Single() bool { return t.Excess() == Amount{} }
