// Package digesttest computes digests as docs/data.md#digests defines them, from the lines of records and
// with none of the program's code. It is for tests only.
package digesttest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Blocks are the digests of blocks with records of one kind, as hex digits.
type Blocks map[uint64]string

// Of returns the digests of the blocks of lines, which are in chain order. A line has the 14 columns of an
// export as CSV from token_address to sub_index, or also later ones, and no line feed.
func Of(lines []string) Blocks {
	texts := map[uint64]*strings.Builder{}
	for _, line := range lines {
		columns := strings.Split(line, ",")
		number, err := strconv.ParseUint(columns[4], 10, 64)
		if err != nil {
			panic(err)
		}
		if texts[number] == nil {
			texts[number] = new(strings.Builder)
		}
		fmt.Fprintln(texts[number], strings.Join(columns[:14], ","))
	}
	return hashed(texts)
}

func hashed(texts map[uint64]*strings.Builder) Blocks {
	digests := Blocks{}
	for number, text := range texts {
		sum := sha256.Sum256([]byte(text.String()))
		digests[number] = hex.EncodeToString(sum[:])
	}
	return digests
}

// Range returns the digest of the blocks from first to last, 0x and hex digits.
func (b Blocks) Range(first, last uint64) string {
	level := maps.Clone(b)
	maps.DeleteFunc(level, func(n uint64, _ string) bool { return n < first || n > last })
	for range 6 {
		texts := map[uint64]*strings.Builder{}
		for _, n := range slices.Sorted(maps.Keys(level)) {
			if texts[n/64] == nil {
				texts[n/64] = new(strings.Builder)
			}
			fmt.Fprintf(texts[n/64], "%d,%s\n", n, level[n])
		}
		level = hashed(texts)
	}
	if digest, some := level[0]; some {
		return "0x" + digest
	}
	return "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}
