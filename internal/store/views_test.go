package store_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/listing"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// integers returns integers around the limits of parts of 60 and 63 bits.
func integers() (list []evm.Uint256) {
	one := big.NewInt(1)
	for _, bits := range []uint{0, 4, 8, 32, 56, 59, 60, 63, 64, 119, 120, 180, 239, 240, 255, 256} {
		power := new(big.Int).Lsh(one, bits)
		for _, n := range []*big.Int{new(big.Int).Sub(power, one), power} {
			if id, err := evm.ParseUint256(n.String()); err == nil {
				list = append(list, id)
			}
		}
	}
	return list
}

// viewRows returns the rows of a view, as strings by column, and its columns.
func viewRows(t *testing.T, db *sql.DB, query string) (rows []map[string]string, columns []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	expect.NoError(t, err)
	defer found.Close()
	columns, err = found.Columns()
	expect.NoError(t, err)
	for found.Next() {
		values, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		expect.NoError(t, found.Scan(to...))
		row := map[string]string{}
		for i, v := range values {
			if row[columns[i]] = v.String; !v.Valid {
				row[columns[i]] = "null"
			}
		}
		rows = append(rows, row)
	}
	expect.NoError(t, found.Err())
	return rows, columns
}

// integer adds the columns of an integer to a row.
func integer(row map[string]string, postgres bool, name string, v evm.Uint256) {
	if postgres {
		row[name] = v.String()
		return
	}
	word := v.Word()
	row[name], row[name+"_decimal"] = fmt.Sprintf("0x%x", word), "null"
	if n, small := v.Uint64(); small && n < 1<<63 {
		row[name+"_decimal"] = v.String()
	}
}

// TestViews_Records compares v_mints and v_burns with the pages of the API.
func TestViews_Records(t *testing.T) {
	blocks := branch(1, 1, 4, blockHash(1, 3), 40, between(20, 200))
	edge := nft.Block{Header: evm.Header{BlockRef: evm.BlockRef{Number: 44, Hash: evm.Hash{0xff, 1}}, ParentHash: blockHash(1, 43), Time: 1_700_000_000}}
	for i, n := range integers() {
		r := nft.Record{Contract: collection(3), Type: nft.ERC1155, TokenID: n, Amount: n, To: evm.Address{0xff, 2}, LogIndex: uint32(i), TxHash: evm.Hash{0x80}}
		edge.Mints = append(edge.Mints, r)
		r.Kind, r.From, r.To = nft.Burn, evm.Address{3}, evm.Address{}
		edge.Burns = append(edge.Burns, r)
	}
	blocks = append(blocks, edge)
	onBoth(t, func(t *testing.T, dsn string) {
		s := open(t, dsn, write.Options{})
		apply(t, s, blocks)
		for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
			got, columns := viewRows(t, raw(t, dsn), fmt.Sprintf("SELECT * FROM v_%ss ORDER BY position", kind))
			names := "position token_address contract_type token_id token_id_decimal block_hash block_number transaction_hash log_index from to amount amount_decimal operator timestamp block_time sub_index"
			if isPostgres(dsn) {
				names = strings.ReplaceAll(names, "_decimal", "")
				names = strings.Replace(strings.Replace(names, "token_id token_id", "token_id", 1), "amount amount", "amount", 1) + " collection_id"
			}
			expect.Equal(t, "columns", strings.Fields(names), columns)
			var want []map[string]string
			place, block := uint64(0), uint64(0)
			ids := map[string]string{}
			if isPostgres(dsn) {
				listed, _ := viewRows(t, raw(t, dsn), "SELECT address, collection_id FROM v_collections")
				for _, row := range listed {
					ids[row["address"]] = row["collection_id"]
				}
			}
			each(t, s, func(snap *store.Snapshot) {
				for _, r := range pageOf(t, snap, store.Filter{Kind: kind}, page.Args{First: ptr(read.DefaultMaxPageSize)}).Items {
					if place++; r.Block.Number != block {
						place, block = 0, r.Block.Number
					}
					row := map[string]string{
						"position": fmt.Sprint(r.Block.Number<<30 + place), "token_address": r.Contract.String(), "contract_type": string(r.Type),
						"block_hash": r.Block.Hash.String(), "block_number": fmt.Sprint(r.Block.Number), "transaction_hash": r.TxHash.String(),
						"log_index": fmt.Sprint(r.LogIndex), "from": r.From.String(), "to": r.To.String(), "operator": "null",
						"timestamp": fmt.Sprint(r.Time), "block_time": fmt.Sprint(r.Time), "sub_index": fmt.Sprint(r.SubIndex),
					}
					integer(row, isPostgres(dsn), "token_id", r.TokenID)
					integer(row, isPostgres(dsn), "amount", r.Amount)
					if isPostgres(dsn) {
						row["collection_id"] = ids[r.Contract.String()]
					}
					if r.Type == nft.ERC1155 {
						row["operator"] = r.Operator.String()
					}
					want = append(want, row)
				}
			})
			if diff := cmp.Diff(want, got); diff != "" || len(want) < 100 {
				t.Errorf("v_%ss, %d rows (-page +view):\n%.3000s", kind, len(want), diff)
			}
		}
	})
}

// TestViews_Collections compares v_collections, and the export of collections by pages of several
// sizes, with the collections of the API.
func TestViews_Collections(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		blocks := branch(1, 1, 4, blockHash(1, 3), 30, between(20, 200))
		apply(t, s, blocks)
		claimAll(t, q, 1000)
		c.now += lease
		for i, task := range claimCollections(t, q) {
			if i%3 > 0 {
				finish(t, q, c.described(task, fmt.Sprint("name ", i), fmt.Sprint(i % 3)[1:], ""))
			}
		}
		last := map[evm.Address]uint64{}
		for _, b := range blocks {
			for _, r := range slices.Concat(b.Mints, b.Burns) {
				last[r.Contract] = b.Header.Number
			}
		}
		db := raw(t, dsn)
		got, columns := viewRows(t, db, "SELECT * FROM v_collections ORDER BY position")
		names := "position address contract_type name symbol minted_items burned_items first_block last_block"
		if isPostgres(dsn) {
			names += " collection_id"
		}
		expect.Equal(t, "columns", strings.Fields(names), columns)
		for _, row := range got {
			delete(row, "collection_id") // TestViews_Records compares it.
		}
		var want []map[string]string
		each(t, s, func(snap *store.Snapshot) {
			p, err := snap.Collections(store.CollectionFilter{}, page.Args{First: ptr(1000)})
			expect.NoError(t, err)
			expect.NoError(t, p.Read(t.Context(), nil))
			types, err := snap.Subjects().TypesOf(t.Context(), p.Items)
			expect.NoError(t, err)
			names, err := snap.Subjects().NamesOf(t.Context(), p.Items)
			expect.NoError(t, err)
			or := func(text *string) string {
				if text == nil {
					return "null"
				}
				return *text
			}
			count := func(kind nft.Kind, of evm.Address) string {
				return fmt.Sprint(totalOf(t, pageOf(t, snap, store.Filter{Kind: kind, Address: &of}, page.Args{})))
			}
			for i, one := range p.Items {
				want = append(want, map[string]string{
					"position": got[i]["position"], "first_block": got[i]["first_block"], "address": one.Address.String(), "contract_type": string(types[i]),
					"name": or(names[i].Name), "symbol": or(names[i].Symbol), "last_block": fmt.Sprint(last[one.Address]),
					"minted_items": count(nft.Mint, one.Address), "burned_items": count(nft.Burn, one.Address),
				})
			}
			for _, limit := range []int{1, 3, 1000} {
				var listed []map[string]string
				for rows := (&listing.Rows[*listing.Collection]{More: true}); rows.More; {
					var err error
					rows, err = listing.Of(snap.Snapshot).Collections(t.Context(), listing.BlockRange{}, rows.Cursor, limit)
					expect.NoError(t, err)
					for _, one := range rows.Items {
						listed = append(listed, map[string]string{
							"position": got[len(listed)]["position"], "first_block": fmt.Sprint(one.FirstBlock), "address": one.Address.String(), "contract_type": string(one.Type),
							"name": or(one.Name), "symbol": or(one.Symbol), "last_block": fmt.Sprint(one.LastBlock), "minted_items": fmt.Sprint(one.Minted), "burned_items": fmt.Sprint(one.Burned),
						})
					}
				}
				if diff := cmp.Diff(got, listed); diff != "" {
					t.Errorf("export by %d (-view +export):\n%.2000s", limit, diff)
				}
			}
		})
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 {
			t.Errorf("%d collections (-API +view):\n%.3000s", len(want), diff)
		}
	})
}

// TestViews_Metadata compares v_metadata, and its earlier name v_tokens, with the API, in every state.
func TestViews_Metadata(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s, db := open(t, dsn, write.Options{}), raw(t, dsn)
		apply(t, s, branch(1, 1, 4, blockHash(1, 3), 10, between(20, 200)))
		text := "x\n\"y\""
		var items []nft.TokenMetadata
		for i, id := range integers() {
			m := nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(i % 7), TokenID: id}, FetchedAt: uint64(5 + i), URI: "u{id}", Raw: "{}"}
			if i%3 == 0 {
				m.Raw = `{"name":"` + text + `","attributes":[]}`
				m.Name, m.Description, m.Image, m.ImageData = &text, &text, &text, &text
				m.ExternalURL, m.BackgroundColor, m.YoutubeURL, m.AnimationURL = &text, &text, &text, &text
				m.Attributes = []nft.Attribute{{TraitType: text, Value: "1", MaxValue: ptr(1.5), Order: 1}}
			}
			items = append(items, m)
		}
		items = append(items, nft.TokenMetadata{TokenKey: nft.TokenKey{Contract: collection(unknown)}, FetchedAt: 4, URI: "{id}", Raw: text})
		expect.NoError(t, s.PutMetadata(t.Context(), items))
		for _, change := range []string{"error = 'gone', state = 'waiting' WHERE id % 4 = 1", "state = 'leased' WHERE id % 4 = 2"} {
			_, err := db.ExecContext(t.Context(), "UPDATE resolutions SET "+change)
			expect.NoError(t, err)
		}
		got, columns := viewRows(t, db, "SELECT * FROM v_metadata ORDER BY collection_address, token_id")
		earlier, same := viewRows(t, db, "SELECT * FROM v_tokens ORDER BY collection_address, token_id")
		expect.Equal(t, "columns of v_tokens", columns, same)
		expect.Equal(t, "rows of v_tokens", got, earlier)
		names := "collection_address collection_type token_id token_id_decimal external_url image_data background_color youtube_url updated_at name description image animation_url attributes uri fetched_at state error raw"
		if isPostgres(dsn) {
			names = strings.Replace(names, "token_id_decimal ", "", 1)
		}
		expect.Equal(t, "columns", strings.Fields(names), columns)
		byToken, states := map[string]map[string]string{}, map[string]int{}
		for _, row := range got {
			byToken[row["collection_address"]+row["token_id"]] = row
			states[row["state"]]++
			var attributes []nft.Attribute
			expect.NoError(t, json.Unmarshal([]byte(row["attributes"]), &attributes))
			row["attributes"] = fmt.Sprintf("%+v", values(attributes))
		}
		expect.Equal(t, "rows", len(items), len(got))
		if len(states) != 3 {
			t.Errorf("states: %v, want all of them", states)
		}
		each(t, s, func(snap *store.Snapshot) {
			for i := range items {
				found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{items[i].TokenKey}, read.AllTexts)
				expect.NoError(t, err)
				m := found[items[i].TokenKey]
				or := func(text *string) string {
					if text == nil {
						return "null"
					}
					return *text
				}
				want := map[string]string{
					"collection_address": m.Contract.String(), "collection_type": string(m.Type), "external_url": or(m.ExternalURL), "image_data": or(m.ImageData),
					"background_color": or(m.BackgroundColor), "youtube_url": or(m.YoutubeURL), "updated_at": fmt.Sprint(m.UpdatedAt), "name": or(m.Name),
					"description": or(m.Description), "image": or(m.Image), "animation_url": or(m.AnimationURL), "uri": m.URI, "fetched_at": fmt.Sprint(m.FetchedAt),
					"state": string(m.State), "error": "null", "raw": items[i].Raw, "attributes": fmt.Sprintf("%+v", values(items[i].Attributes)),
				}
				if m.Error != "" {
					want["error"] = m.Error
				}
				integer(want, isPostgres(dsn), "token_id", m.TokenID)
				if diff := cmp.Diff(want, byToken[want["collection_address"]+want["token_id"]]); diff != "" {
					t.Errorf("%v (-API +view):\n%s", items[i].TokenKey, diff)
				}
			}
		})
	})
}

// values returns attributes as strings, without pointers.
func values(attributes []nft.Attribute) (list []string) {
	for _, a := range attributes {
		list = append(list, fmt.Sprint(a.TraitType, a.Value, *a.MaxValue, a.TraitCount == nil, a.Order))
	}
	return list
}

// TestViews_Granted compares the views that the documents grant with those of a database.
func TestViews_Granted(t *testing.T) {
	dsn := filepath.Join(t.TempDir(), "views.db")
	open(t, dsn, write.Options{})
	views := listOf[string](t, dsn, "SELECT name FROM sqlite_master WHERE type = 'view' AND name <> 'v_tokens' ORDER BY name")
	text, err := os.ReadFile("../../docs/data.md")
	expect.NoError(t, err)
	granted := strings.Split(regexp.MustCompile("`GRANT SELECT ON ([a-z_, ]+) TO").FindStringSubmatch(string(text))[1], ", ")
	slices.Sort(granted)
	expect.Equal(t, "views", views, granted)
}
