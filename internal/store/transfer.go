package store

import (
	"encoding/binary"

	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/tables"
)

// Transfer is a stored mint or burn.
type Transfer struct {
	nft.Record
	Block evm.BlockRef
	// Time is the block's time in Unix seconds, UTC.
	Time uint64
	// pos is the record's primary key.
	pos int64
}

// ID returns the record's opaque global id; see [Snapshot.Node].
func (t *Transfer) ID() string { return string(t.AppendID(nil)) }

// AppendID appends the record's opaque global id.
func (t *Transfer) AppendID(text []byte) []byte {
	letter := byte('M')
	if t.Kind == nft.Burn {
		letter = 'B'
	}
	b := binary.BigEndian.AppendUint64(append(make([]byte, 0, 13), letter), uint64(t.pos))
	return cursor.Encoding.AppendEncode(text, binary.BigEndian.AppendUint32(b, cursor.AnchorOf(t.Block.Hash.Prefix())))
}

// readJoined reads a row of a statement with JoinBlock into a record, without the
// contract's address.
func readJoined(r *tables.RecordRow, row *database.Row, to *Transfer) (err error) {
	to.Time, err = r.ReadJoined(row, &to.Record, &to.Block)
	to.pos = r.Mint.ID
	return err
}
