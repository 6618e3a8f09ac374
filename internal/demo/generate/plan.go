package main

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/demo/art"
	"mintburn/internal/evm"
)

// plan adds the moments of the story.
func (s *story) plan() {
	for i, c := range art.All {
		s.once(start+8*hour+5*minute, func(t *transaction) {
			if c.Address != evm.Address(crypto.CreateAddress(common.Address(art.Studio), uint64(i))) {
				panic(c.Name + " has another address")
			}
			t.from = art.Studio
			s.documents = append(s.documents, document{c.Address, nil, "https://example.com/" + c.Path + "/collection.json", s.at + 15, c.Document().String()})
		})
	}
	s.planDrift(start + day + 15*hour)
	for monday := range uint64(5) {
		s.planMonday(monday + 1)
	}
	s.planSundays(start + 4*week + 3*day)
	s.planSparks(start + 2*week + 2*day + 12*hour)
	s.planGarden(start + 3*week + 3*day + 18*hour)
	s.planSpam(start + 3*week + 3*hour)
	// Some blocks have nothing.
	s.often(40, start, end, 1, nil)
}

// planDrift plans 256 hidden tokens, their reveal, sales, burns and high tides.
func (s *story) planDrift(opening int64) {
	const supply = 256
	mint := func(most int) func(t *transaction) {
		return func(t *transaction) {
			if amount := min(1+s.random.IntN(most), supply-len(s.owners[art.Drift])); amount > 0 {
				t.from, t.to, t.value = s.collector(), &art.Drift.Address, 40_000_000*int64(amount)
				s.minted(t, art.Drift, t.from, amount, art.Hidden)
			}
		}
	}
	reveal := start + 2*week + 16*hour
	s.often(24, opening, opening+20*minute, 1, mint(3))
	s.often(90, opening, reveal-day, 2, mint(4))
	s.once(reveal-day, mint(supply))
	s.once(reveal, func(t *transaction) {
		t.from, t.to = art.Studio, &art.Drift.Address
		t.emit(art.Drift.Address, evm.TopicBatchMetadataUpdate, 0, number(1), number(supply))
		for id := range uint64(supply) {
			s.fetched(art.Drift, id+1, 40+int64(id/8), art.Sea(id+1, false))
		}
	})
	market := art.Account(collectors)
	s.often(45, opening+hour, end-hour, 1, func(t *transaction) {
		id, owner := s.any(art.Drift)
		if buyer := s.collector(); buyer != owner {
			t.from, t.to, t.value = buyer, &market, 30_000_000+s.random.Int64N(90_000_000)
			s.moved(t, art.Drift, id, buyer)
		}
	})
	s.often(22, reveal+day, end-hour, 1, func(t *transaction) {
		id, owner := s.any(art.Drift)
		t.from, t.to = owner, &art.Drift.Address
		s.moved(t, art.Drift, id, evm.Address{})
	})
	high := map[uint64]bool{}
	s.often(14, reveal+2*week, end-hour, 1, func(t *transaction) {
		if id, owner := s.any(art.Drift); !high[id] {
			high[id], t.from, t.to = true, owner, &art.Drift.Address
			t.emit(art.Drift.Address, evm.TopicMetadataUpdate, 0, number(id))
			s.fetched(art.Drift, id, 30, art.Sea(id, true))
		}
	})
}

// planMonday plans the mints of a Monday's print, bundles with the earlier ones, and burns.
func (s *story) planMonday(id uint64) {
	opening, tokens := start+int64(id-1)*week+9*hour, &art.Mondays.Address
	closing := min(opening+week, end)
	s.once(opening, func(t *transaction) {
		t.from, t.to = art.Studio, tokens
		s.printed(t, evm.Address{}, art.Studio, 10, id)
		s.fetched(art.Mondays, id, 25, art.Print(id))
		if id == 1 {
			// The ink is counted in drops: 10^30.
			ink := common.BigToHash(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
			t.emit(art.Mondays.Address, evm.TopicTransferSingle, 3, account(t.from), number(0), account(t.from), number(art.Ink), ink)
			s.fetched(art.Mondays, art.Ink, 25, art.Print(art.Ink))
		}
	})
	s.often(46+4*int(id), opening, closing, 2, func(t *transaction) {
		t.from, t.to = s.collector(), tokens
		amount, ids := 1+min(s.random.IntN(6), s.random.IntN(6)), []uint64{id}
		if s.random.IntN(30) == 0 {
			amount = 25
		}
		if id > 1 && s.random.IntN(5) == 0 {
			amount, ids = 1, nil
			for bundled := range id {
				ids = append(ids, bundled+1)
			}
		}
		t.value = 5_000_000 * int64(amount*len(ids))
		s.printed(t, evm.Address{}, t.from, amount, ids...)
	})
	s.often(7, opening+day, closing, 1, func(t *transaction) {
		owner := s.collector()
		if held := s.held(owner)[id]; held > 0 {
			t.from, t.to = owner, tokens
			s.printed(t, owner, evm.Address{}, 1+s.random.IntN(min(held, 3)), id)
		}
	})
}

// planSundays plans burns of five prints for a Sunday.
func (s *story) planSundays(opening int64) {
	first := true
	s.often(44, opening, end-hour, 1, func(t *transaction) {
		owner := s.collector()
		if held := s.held(owner); min(held[1], held[2], held[3], held[4], held[5]) == 0 {
			return
		}
		t.from, t.to = owner, &art.Mondays.Address
		s.printed(t, owner, evm.Address{}, 1, 1, 2, 3, 4, 5)
		s.printed(t, evm.Address{}, owner, 1, art.Sunday)
		if first {
			first = false
			s.fetched(art.Mondays, art.Sunday, 25, art.Print(art.Sunday))
		}
	})
}

// planSparks plans 240 sparks that are minted in one event, their claims, and the burns of three
// for an ember.
func (s *story) planSparks(opening int64) {
	const supply = 240
	var claimed uint64
	s.once(opening, func(t *transaction) {
		t.from, t.to = art.Studio, &art.Sparks.Address
		t.emit(art.Sparks.Address, evm.TopicConsecutiveTransfer, 3, number(1), number(0), account(art.Studio), number(supply))
		for id := range uint64(supply) {
			s.owners[art.Sparks] = append(s.owners[art.Sparks], art.Studio)
			s.fetched(art.Sparks, id+1, 30+int64(id/10), art.Spark(id+1))
		}
	})
	s.often(75, opening+hour, opening+4*day, 2, func(t *transaction) {
		t.from, t.to = s.collector(), &art.Sparks.Address
		for range 2 + s.random.IntN(3) {
			if claimed < supply {
				claimed++
				s.moved(t, art.Sparks, claimed, t.from)
			}
		}
	})
	s.often(70, opening+3*day, end-hour, 1, func(t *transaction) {
		_, owner := s.any(art.Sparks)
		var burned [3]uint64
		found := 0
		for i, of := range s.owners[art.Sparks] {
			if of == owner && found < len(burned) {
				burned[found] = uint64(i) + 1
				found++
			}
		}
		if found < len(burned) || owner == art.Studio {
			return
		}
		t.from, t.to = owner, &art.Embers.Address
		for _, id := range burned {
			s.moved(t, art.Sparks, id, evm.Address{})
		}
		s.minted(t, art.Embers, owner, 1, func(id uint64) art.Document { return art.Ember(id, burned) })
	})
}

// planGarden plans flowers up to the last block. Some wilt, and two of those come back.
func (s *story) planGarden(opening int64) {
	mint := func(t *transaction, most int) {
		if amount := min(most, art.Flowers-len(s.owners[art.Garden])); amount > 0 {
			t.from, t.to, t.value = s.collector(), &art.Garden.Address, 15_000_000*int64(amount)
			s.minted(t, art.Garden, t.from, amount, art.Flower)
		}
	}
	// The last ones are left for the last block.
	some := func(t *transaction) {
		mint(t, min(1+min(s.random.IntN(3), s.random.IntN(3)), art.Flowers-2-len(s.owners[art.Garden])))
	}
	s.often(55, opening, opening+2*day, 2, some)
	s.often(78, opening+2*day, end-minute, 1, some)
	s.once(end, func(t *transaction) { mint(t, art.Flowers) })
	s.often(11, opening+3*day, end-2*day, 1, func(t *transaction) {
		id, owner := s.any(art.Garden)
		t.from, t.to = owner, &art.Garden.Address
		s.moved(t, art.Garden, id, evm.Address{})
		s.wilted = append(s.wilted, id)
	})
	s.often(2, end-day, end-hour, 1, func(t *transaction) {
		t.from, t.to = s.collector(), &art.Garden.Address
		s.moved(t, art.Garden, s.wilted[0], t.from)
		s.wilted = s.wilted[1:]
	})
}

// planSpam plans a contract that sends tokens without documents to collectors, and events that no
// standard knows.
func (s *story) planSpam(opening int64) {
	spammer := art.Account(collectors + 1)
	contract := evm.Address(crypto.CreateAddress(common.Address(spammer), 0))
	s.once(opening, func(t *transaction) { t.from = spammer })
	for part := range uint64(2) {
		s.once(opening+int64(part+1)*10*minute, func(t *transaction) {
			t.from, t.to = spammer, &contract
			for i := range uint64(14) {
				t.emit(contract, evm.TopicTransfer, 3, number(0), account(art.Account(int(14*part+i))), number(14*part+i+1))
			}
			if part > 0 {
				// The largest id that a token can have.
				t.emit(contract, evm.TopicTransfer, 3, number(0), account(spammer), common.MaxHash)
			}
			// The sender has more than 20 bytes.
			t.emit(contract, evm.TopicTransfer, 3, common.MaxHash, account(spammer), number(part))
			t.emit(contract, evm.TopicTransferSingle, 1, account(spammer), number(0), account(spammer))
		})
	}
}
