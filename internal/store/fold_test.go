package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/foldtest"
	"mintburn/internal/testing/storetest"
)

// TestFold_Random plays random writes: blocks at the head and below it, holes that are filled,
// reorgs, repairs, documents, several writers, and a database that is replaced by a
// backup of itself. After every step the copies of readers with different filters must equal an
// export. MINTBURN_SEED repeats one episode, MINTBURN_STEPS is the number of steps.
func TestFold_Random(t *testing.T) {
	skipShort(t)
	steps, seed := expect.Variable(t, "MINTBURN_STEPS", 240), expect.Variable(t, "MINTBURN_SEED", 1)
	written, kept := 0, 0
	play := func(seed uint64) bool {
		n := min(steps, 40)
		steps -= n
		return t.Run(fmt.Sprintf("MINTBURN_SEED=%d", seed), func(t *testing.T) {
			f := newFolded(t, seed)
			f.play(n)
			for _, x := range f.exports {
				written, kept = written+x.written, kept+x.kept
			}
		})
	}
	if os.Getenv("MINTBURN_SEED") != "" {
		play(seed)
		return
	}
	// Those that found something: a document whose collection got another standard, and a backup
	// that was restored while a batch was read.
	for _, found := range []uint64{422, 1912} {
		play(found)
	}
	for ; steps > 0 && play(seed); seed++ {
	}
	if written == 0 || kept == 0 {
		t.Errorf("exports wrote %d files and kept %d, want some of both", written, kept)
	}
}

// folded is a database and the readers of its feed.
type folded struct {
	t      *testing.T
	random *rand.Rand
	dsn    string
	stores [2]*write.DB
	// first is the first block of the chain, which may be stored. blocks are the blocks of the
	// canonical chain from there on, stored those that are in the database.
	first  uint64
	blocks []nft.Block
	stored map[uint64]bool
	final  uint64
	// many is set if the blocks have all of their records.
	many    bool
	readers []*foldtest.Reader
	exports []*foldedExport
	salt    uint64
	clock   uint64
	log     []string
	backup  *backup
}

// backup is a former state of the database.
type backup struct {
	path   string
	blocks []nft.Block
	stored map[uint64]bool
	final  uint64
	many   bool
}

func newFolded(t *testing.T, seed uint64) *folded {
	f := &folded{t: t, random: rand.New(rand.NewPCG(seed, 7)), first: 100, stored: map[uint64]bool{}, salt: 1, clock: 1000}
	f.dsn = storetest.SQLite(t)
	if seed%3 == 0 {
		f.dsn = storetest.Postgres(t)
	}
	f.open()
	f.mine(20 + f.random.IntN(20))
	f.extend()
	addresses := [][]evm.Address{nil, {collection(0)}, {collection(1), collection(2), collection(5)}, {}}
	accounts := [][]evm.Address{nil, {account(0)}, {account(1), account(2)}}
	kinds := [][]feed.Kind{nil, {feed.Added}, {feed.Added, feed.Metadata}}
	for range 2 {
		filter := feed.Filter{Addresses: addresses[f.random.IntN(4)], Accounts: accounts[f.random.IntN(3)], Kinds: kinds[f.random.IntN(3)]}
		if filter.Accounts != nil {
			filter.Kinds = kinds[f.random.IntN(2)]
		}
		f.readers = append(f.readers, foldtest.NewReader(t, f.stores[0].DB, filter, f.random))
	}
	f.readers = append(f.readers, foldtest.NewReader(t, f.stores[0].DB, feed.Filter{}, f.random))
	f.exports = newFoldedExports(f, seed)
	return f
}

// open opens the database by two processes.
func (f *folded) open() {
	for i := range f.stores {
		f.stores[i] = open(f.t, f.dsn, write.Options{MaxPageSize: 1000})
	}
}

// writer returns one of the processes.
func (f *folded) writer() *write.DB { return f.stores[f.random.IntN(2)] }

// mine adds blocks to the chain.
func (f *folded) mine(n int) {
	next, parent := f.first, blockHash(0, f.first-1)
	if len(f.blocks) > 0 {
		last := f.blocks[len(f.blocks)-1].Header
		next, parent = last.Number+1, last.Hash
	}
	f.salt++
	f.blocks = append(f.blocks, branch(f.salt, f.salt, next, parent, n, between(4, 30))...)
}

// fewer returns the blocks without some of their records and rejected logs.
func fewer(blocks []nft.Block) []nft.Block {
	list := slices.Clone(blocks)
	for i := range list {
		b := &list[i]
		b.Burns = b.Burns[:len(b.Burns)/3]
		if b.Rejected = nil; b.Header.Number%4 == 0 {
			b.Mints = b.Mints[:len(b.Mints)/2]
		}
	}
	return list
}

// at returns the blocks of a range with their present records.
func (f *folded) at(r evm.Range) []nft.Block {
	blocks := slices.Clone(f.blocks[r.From-f.first : r.To-f.first+1])
	if !f.many {
		blocks = fewer(blocks)
	}
	return blocks
}

func (f *folded) head() uint64 { return f.blocks[len(f.blocks)-1].Header.Number }

// missing returns the ranges of the chain that are not stored, in order.
func (f *folded) missing() (ranges []evm.Range) {
	for number := f.first; number <= f.head(); number++ {
		if !f.stored[number] {
			ranges = evm.Range{From: number, To: number}.Join(ranges)
		}
	}
	return ranges
}

// extend stores some of the missing blocks, possibly with a hole.
func (f *folded) extend() {
	ranges := f.missing()
	if len(ranges) == 0 {
		return
	}
	r := ranges[f.random.IntN(len(ranges))]
	if f.random.IntN(3) > 0 {
		r = ranges[len(ranges)-1]
	}
	if f.random.IntN(4) == 0 {
		r.From += f.random.Uint64N(r.To - r.From + 1)
	}
	r.To = r.From + f.random.Uint64N(min(15, r.To-r.From+1))
	f.note("extend %v", r)
	blocks := f.at(r)
	if f.random.IntN(5) == 0 {
		// A node that leaves out logs, until the blocks are stored again.
		lossy := slices.Clone(blocks)
		lossy = slices.DeleteFunc(lossy, func(b nft.Block) bool { return b.Header.Number%3 == 0 && b.Header.Number != r.To })
		expect.NoError(f.t, f.writer().Extend(f.t.Context(), lossy, r, false))
		for _, reader := range f.readers {
			reader.Read(f.t, f.stores[0].DB)
		}
	}
	expect.NoError(f.t, f.writer().Extend(f.t.Context(), blocks, r, f.random.IntN(2) == 0))
	for number := r.From; number <= r.To; number++ {
		f.stored[number] = true
	}
}

// reorg replaces the blocks above one, of which some are stored.
func (f *folded) reorg() {
	above := max(f.final, f.head()-min(f.head()-f.first, f.random.Uint64N(12)))
	if above <= f.first || above == f.head() || !f.stored[above] {
		return
	}
	f.blocks = f.blocks[:above-f.first+1]
	f.mine(1 + f.random.IntN(10))
	n := f.random.Uint64N(f.head() - above + 1)
	f.note("reorg above %d, %d blocks", above, n)
	var blocks []nft.Block
	if n > 0 {
		blocks = f.at(evm.Range{From: above + 1, To: above + n})
	}
	expect.NoError(f.t, f.writer().ReplaceAbove(f.t.Context(), above, blocks, false))
	for number := range f.stored {
		if number > above {
			delete(f.stored, number)
		}
	}
	for _, b := range blocks {
		f.stored[b.Header.Number] = true
	}
}

// finalize makes a stored block final.
func (f *folded) finalize() {
	number := f.first + f.random.Uint64N(f.head()-f.first+1)
	if number+20 > f.head() || !f.stored[number] {
		return
	}
	f.note("final %d", number)
	expect.NoError(f.t, f.writer().SetFinalized(f.t.Context(), f.blocks[number-f.first].Header))
	f.final = max(f.final, number)
}

// repair damages records, and repairs their blocks.
func (f *folded) repair() {
	number := f.first + f.random.Uint64N(f.head()-f.first+1)
	if !f.stored[number] {
		return
	}
	f.note("repair %d", number)
	// Not by a connection of its own, which would keep the file's log open.
	expect.NoError(f.t, f.stores[0].Database.Exec(f.t.Context(), fmt.Sprintf("DELETE FROM mints WHERE id >> 30 = %d AND id %% 2 = 0", number)))
	for _, r := range f.readers {
		// A reader that sees the damage must see the repair too.
		r.Read(f.t, f.stores[0].DB)
	}
	expect.NoError(f.t, proof.Of(f.writer()).Repair(f.t.Context(), f.at(evm.Range{From: number, To: number})))
}

// repairAll changes which records blocks have, and repairs all stored blocks, some at a time.
func (f *folded) repairAll() {
	f.many = !f.many
	f.note("repair all blocks, all records: %v", f.many)
	var ranges []evm.Range
	for _, number := range slices.Sorted(maps.Keys(f.stored)) {
		ranges = evm.Range{From: number, To: number}.Join(ranges)
	}
	for _, r := range ranges {
		for from := r.From; from <= r.To; from += 7 {
			part := f.at(evm.Range{From: from, To: min(r.To, from+6)})
			expect.NoError(f.t, proof.Of(f.writer()).Repair(f.t.Context(), part))
		}
		f.readers[0].Read(f.t, f.stores[1].DB)
	}
}

// documents stores the documents of some minted tokens.
func (f *folded) documents() {
	var items []nft.TokenMetadata
	for _, number := range slices.Sorted(maps.Keys(f.stored)) {
		for _, r := range f.blocks[number-f.first].Mints {
			if f.random.IntN(30) == 0 {
				f.clock++
				name := fmt.Sprint("name ", f.random.IntN(1000))
				items = append(items, nft.TokenMetadata{
					TokenKey: nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}, FetchedAt: f.clock, UpdatedAt: f.clock, URI: "u", Raw: "{}", Metadata: nft.Metadata{Name: &name},
				})
			}
		}
	}
	// Only of tokens that have a mint in the database: with fewer records, not all have.
	minted := map[nft.TokenKey]bool{}
	for number := range f.stored {
		for _, b := range f.at(evm.Range{From: number, To: number}) {
			for _, r := range b.Mints {
				minted[nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}] = true
			}
		}
	}
	items = slices.DeleteFunc(items, func(m nft.TokenMetadata) bool { return !minted[m.TokenKey] })
	f.note("%d documents", len(items))
	expect.NoError(f.t, f.writer().PutMetadata(f.t.Context(), items))
}

// replace keeps a backup of a SQLite database, or restores it: numbers of the log are used again.
func (f *folded) replace() {
	if isPostgres(f.dsn) {
		return
	}
	closed := func() {
		for _, s := range f.stores {
			expect.NoError(f.t, s.Close())
		}
	}
	if b := f.backup; b != nil {
		f.note("restore")
		closed()
		text, err := os.ReadFile(b.path)
		expect.NoError(f.t, errors.Join(err, os.WriteFile(f.dsn, text, 0o600)))
		f.blocks, f.stored, f.final, f.many, f.backup = b.blocks, b.stored, b.final, b.many, nil
		f.open()
		// Of another branch than before.
		f.blocks = f.blocks[:max(1, int(f.final-f.first)+1, len(f.blocks)-3)]
		for number := range f.stored {
			if number > f.head() {
				delete(f.stored, number)
			}
		}
		expect.NoError(f.t, f.stores[0].ReplaceAbove(f.t.Context(), f.head(), nil, false))
		f.mine(5)
		return
	}
	f.note("backup")
	closed()
	text, err := os.ReadFile(f.dsn)
	path := f.t.TempDir() + "/backup.db"
	expect.NoError(f.t, errors.Join(err, os.WriteFile(path, text, 0o600)))
	stored := map[uint64]bool{}
	for number := range f.stored {
		stored[number] = true
	}
	f.backup = &backup{path, slices.Clone(f.blocks), stored, f.final, f.many}
	f.open()
}

func (f *folded) note(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

// play takes random steps, after each of which all copies must equal the database.
func (f *folded) play(steps uint64) {
	defer func() {
		if f.t.Failed() {
			for _, line := range f.log {
				f.t.Log(line)
			}
		}
	}()
	for range steps {
		switch f.random.IntN(14) {
		case 0, 1, 2:
			f.mine(1 + f.random.IntN(6))
			f.extend()
		case 3, 4:
			f.extend()
		case 5, 6, 7:
			f.reorg()
		case 8:
			f.finalize()
		case 9:
			f.repair()
		case 10:
			f.repairAll()
		case 11, 12:
			f.documents()
		case 13:
			f.replace()
		}
		for _, r := range f.readers {
			if f.random.IntN(2) == 0 {
				r.Read(f.t, f.writer().DB)
			}
		}
		if f.random.IntN(2) == 0 {
			for _, r := range f.readers {
				r.Compare(f.t, f.writer().DB)
			}
			for _, x := range f.exports {
				x.compare(f.t, f.writer().DB)
			}
		}
	}
	for _, r := range f.readers {
		r.Compare(f.t, f.stores[0].DB)
	}
}
