package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"mintburn/internal/demo/art"
	"mintburn/internal/evm"
)

// collectors is the number of accounts that mint and burn.
const collectors = 64

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
)

// start is the time of block 0, a Monday.
var start = time.Date(2026, time.October, 19, 0, 0, 0, 0, time.UTC).Unix()

// end is the time of the last block.
var end = start + 5*week - 2*hour

// moment is a transaction of the story. If do leaves the sender zero, nothing happens.
type moment struct {
	at int64
	do func(t *transaction)
}

// story is the state of the chain while it is written.
type story struct {
	chain
	random    *rand.Rand
	moments   []moment
	documents []document
	// at is the time of the block.
	at int64
	// owners are those of the tokens of ERC-721 by id minus 1, zero after a burn.
	owners map[*art.Collection][]evm.Address
	// prints are the copies of the tokens of Five Mondays, by owner and id.
	prints map[evm.Address]*[art.Ink + 1]int
	// wilted are the flowers that were burned.
	wilted []uint64
}

// document is the content of a metadata line.
type document struct {
	Address   evm.Address `json:"address"`
	TokenID   *uint64     `json:"tokenId,omitempty"` // nil for a collection
	URI       string      `json:"uri"`
	FetchedAt int64       `json:"fetchedAt"`
	Document  string      `json:"document"`
}

// generate returns the recording.
func generate() ([]byte, error) {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	s := &story{
		chain:  chain{lines: lines, nonces: map[evm.Address]uint64{}},
		random: rand.New(rand.NewPCG(40, 5)), owners: map[*art.Collection][]evm.Address{}, prints: map[evm.Address]*[art.Ink + 1]int{},
	}
	s.plan()
	slices.SortStableFunc(s.moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	if err := s.play(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.documents, func(a, b document) int { return cmp.Compare(a.FetchedAt, b.FetchedAt) })
	for _, d := range s.documents {
		kind := "metadata"
		if d.TokenID == nil {
			kind = "collection"
		}
		if err := lines.Encode(map[string]document{kind: d}); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// play writes the blocks. The moments within a few minutes share one.
func (s *story) play() error {
	if err := s.mine(start, nil); err != nil {
		return err
	}
	for next := 0; next < len(s.moments); {
		first := next
		for next < len(s.moments) && s.moments[next].at < s.moments[first].at+3*minute {
			next++
		}
		s.at = s.moments[next-1].at
		var transactions []*transaction
		for _, m := range s.moments[first:next] {
			t := &transaction{logs: []*types.Log{}}
			if m.do != nil {
				m.do(t)
			}
			if t.from != (evm.Address{}) {
				transactions = append(transactions, t)
			}
		}
		if err := s.mine(s.at, transactions); err != nil {
			return err
		}
	}
	return nil
}

// once adds a moment.
func (s *story) once(at int64, do func(t *transaction)) {
	s.moments = append(s.moments, moment{at, do})
}

// often adds moments between two times. The higher rush is, the more of them are early. Few are
// at night.
func (s *story) often(times int, from, to int64, rush int, do func(t *transaction)) {
	for range times {
		at := to
		for at == to || (at-start)%day < 6*hour && s.random.IntN(5) > 0 {
			at = to - 1
			for range rush {
				at = min(at, from+s.random.Int64N(to-from))
			}
		}
		s.once(at, do)
	}
}

// collector returns an account. The first ones are the most active.
func (s *story) collector() evm.Address {
	return art.Account(min(s.random.IntN(collectors), s.random.IntN(collectors)))
}

// fetched adds a document of a token that was fetched some seconds after the block.
func (s *story) fetched(c *art.Collection, id uint64, after int64, d art.Document) {
	s.documents = append(s.documents, document{c.Address, &id, c.URI(id), s.at + after, d.String()})
}

// minted adds the mint of the next tokens of an ERC-721 collection.
func (s *story) minted(t *transaction, c *art.Collection, to evm.Address, amount int, draw func(id uint64) art.Document) {
	for range amount {
		s.owners[c] = append(s.owners[c], to)
		id := uint64(len(s.owners[c]))
		t.emit(c.Address, evm.TopicTransfer, 3, number(0), account(to), number(id))
		s.fetched(c, id, 20+int64(id%7), draw(id))
	}
}

// moved adds the transfer of a token of an ERC-721 collection, to the zero address for a burn.
func (s *story) moved(t *transaction, c *art.Collection, id uint64, to evm.Address) {
	owner := &s.owners[c][id-1]
	t.emit(c.Address, evm.TopicTransfer, 3, account(*owner), account(to), number(id))
	*owner = to
}

// any returns a random token of an ERC-721 collection that is not burned.
func (s *story) any(c *art.Collection) (id uint64, owner evm.Address) {
	for owner == (evm.Address{}) {
		id = 1 + s.random.Uint64N(uint64(len(s.owners[c])))
		owner = s.owners[c][id-1]
	}
	return id, owner
}

// printed adds a transfer of prints, each with the same amount: a mint from the zero address, or a
// burn to it.
func (s *story) printed(t *transaction, from, to evm.Address, amount int, ids ...uint64) {
	for _, id := range ids {
		s.held(from)[id] -= amount
		s.held(to)[id] += amount
	}
	arguments := []common.Hash{account(t.from), account(from), account(to)}
	if len(ids) == 1 {
		t.emit(art.Mondays.Address, evm.TopicTransferSingle, 3, append(arguments, number(ids[0]), number(uint64(amount)))...)
		return
	}
	// The places of the two lists, then the lists with their lengths.
	n := uint64(len(ids))
	arguments = append(arguments, number(2*32), number((3+n)*32), number(n))
	for _, id := range ids {
		arguments = append(arguments, number(id))
	}
	arguments = append(arguments, number(n))
	for range ids {
		arguments = append(arguments, number(uint64(amount)))
	}
	t.emit(art.Mondays.Address, evm.TopicTransferBatch, 3, arguments...)
}

// held returns the copies of prints that an account holds, by id.
func (s *story) held(owner evm.Address) *[art.Ink + 1]int {
	if s.prints[owner] == nil {
		s.prints[owner] = new([art.Ink + 1]int)
	}
	return s.prints[owner]
}
