package workload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"mintburn/internal/evm"
)

// deepPage is the page number of [Deep], with pages of 20 items.
const deepPage = 1_000

// listed is the number of values in the lists of [List] and [Tokens].
const listed = 100

// slotBits are the bits of a position below the block's number.
const slotBits = 30

// Pick picks sets of variables for each workload from the SQLite file at path, which
// mintburn import has written. sets, the number for each workload, must be at least 1;
// [Deep], [Collections] and [Nested] get fewer in a small database. After is left empty. Each record has the same
// probability, so half of the sets are in the larger blocks and collections. Pick fails
// for a database with too few records.
func Pick(ctx context.Context, path string, sets int) ([]Workload, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	defer db.Close()
	p := &picker{db: db, random: rand.New(rand.NewPCG(1, 0)), sets: sets}
	list := workloads()
	if err := p.fill(ctx, list); err != nil {
		return nil, fmt.Errorf("picking variables: %w", err)
	}
	return list, nil
}

// picker picks records at random.
type picker struct {
	db     *sql.DB
	random *rand.Rand
	sets   int
	// mints and burns are the blocks that have mints or burns.
	mints, burns blocks
	// largest is the collection with the most burns; burned is their number.
	largest, burned int64
	largestAddress  evm.Address
}

func (p *picker) fill(ctx context.Context, list []Workload) (err error) {
	if p.mints, err = p.blocks(ctx, "mints"); err != nil {
		return err
	}
	if p.burns, err = p.blocks(ctx, "burns"); err != nil {
		return err
	}
	if err := p.db.QueryRowContext(ctx, "SELECT contract_id, (SELECT address FROM contracts WHERE id = contract_id), COUNT(*) FROM burns "+
		"GROUP BY contract_id ORDER BY 3 DESC LIMIT 1").Scan(&p.largest, &p.largestAddress, &p.burned); err != nil {
		return fmt.Errorf("looking for the largest collection: %w", err)
	}
	for i := range list {
		w := &list[i]
		switch w.Name {
		case Deep:
			w.Sets, err = p.deep(ctx)
		case Collections, Nested:
			w.Sets, err = p.newest(ctx)
		default:
			w.Sets = make([]Variables, p.sets)
			for n := range w.Sets {
				if err = p.set(ctx, w.Name, &w.Sets[n]); err != nil {
					break
				}
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
	}
	return nil
}

// set fills in the variables of a workload.
func (p *picker) set(ctx context.Context, name string, v *Variables) (err error) {
	has := func(names ...string) bool { return err == nil && slices.Contains(names, name) }
	pick := func(of *blocks) (r record) {
		r, err = p.record(ctx, of)
		return r
	}
	if has(Block, Five) {
		v.Block = uint64(pick(&p.mints).block)
	}
	if has(Range, Five) {
		err = p.span(ctx, v, 21)
	}
	if has(Time) {
		if err = p.span(ctx, v, 21); err == nil {
			err = p.inTime(ctx, v)
		}
	}
	if has(Buckets) {
		v.Address = pick(&p.mints).address
		_, last := p.ends()
		v.ToBlock = uint64(last)
		err = errors.Join(err, p.inTime(ctx, v))
	}
	if has(Collection) {
		v.Address = pick(&p.mints).address
	}
	for err == nil && name == List && len(v.Addresses) < listed {
		if address := pick(&p.burns).address; !slices.Contains(v.Addresses, address) {
			v.Addresses = append(v.Addresses, address)
		}
	}
	for err == nil && name == Tokens && len(v.Keys) < listed {
		r := pick(&p.burns)
		v.Keys = append(v.Keys, TokenKey{r.address, &r.tokenID})
	}
	if has(Hundred) {
		v.First = 100
		err = p.span(ctx, v, 101)
	}
	if has(Total) {
		p.wide(v)
	}
	if has(Tx, Five) {
		r := pick(&p.mints)
		v.TxAddress, v.Tx = r.address, r.tx
	}
	if has(Token, Amounts, Five) {
		r := pick(&p.burns)
		v.TokenAddress, v.TokenID = r.address, &r.tokenID
	}
	if has(Metadata, Five) {
		v.MetadataAddress = pick(&p.mints).address
	}
	return err
}
