package cursor

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"slices"

	"mintburn/internal/apierror"
)

// Cursor is a position in a list. It needs no memory on the server and never
// expires. Its text is base64url without padding of, in order:
//
//	version      1 byte, 1
//	flags        1 byte, 1 if anchored
//	page         uvarint, number of the page that returned the cursor
//	key          1 byte length, then the sort key of the position
//	fingerprint  8 bytes, of the filter and order
//	anchor       4 bytes, first bytes of the block's hash, if anchored
//	checksum     4 bytes, CRC-32C of all bytes before
type Cursor struct {
	Page        uint64
	Key         []byte
	Fingerprint uint64
	// Anchored means that anchor holds the first bytes of the hash of the
	// position's block.
	Anchored bool
	Anchor   uint32
}

const (
	cursorVersion = 1
	// MaxLength bounds the text: 1+1+10+1+53+8+4+4 bytes in base64, rounded up.
	MaxLength = 128
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *Cursor) String() string { return string(c.Append(make([]byte, 0, 2*MaxLength))) }

// Append appends the text of c.
func (c *Cursor) Append(text []byte) []byte {
	// The raw bytes go behind the longest possible text, so they need no separate
	// allocation.
	text = slices.Grow(text, 2*MaxLength)
	b := text[len(text)+MaxLength : len(text)+MaxLength]
	b = append(b, cursorVersion, 0)
	if c.Anchored {
		b[1] = 1
	}
	b = binary.AppendUvarint(b, c.Page)
	b = append(append(b, byte(len(c.Key))), c.Key...)
	b = binary.BigEndian.AppendUint64(b, c.Fingerprint)
	if c.Anchored {
		b = binary.BigEndian.AppendUint32(b, c.Anchor)
	}
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return Encoding.AppendEncode(text, b)
}

// Parse decodes a cursor of any list, and returns nil for nil. Its error is an
// [apierror.Error] with the code INVALID_CURSOR.
func Parse(text *string) (c *Cursor, err error) {
	if text != nil {
		if c = decodeCursor(*text); c == nil {
			err = apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this API returned, unchanged")
		}
	}
	return c, err
}

// decodeCursor is Parse, but returns nil instead of an error.
func decodeCursor(text string) *Cursor {
	if len(text) > MaxLength {
		return nil
	}
	b, err := Encoding.DecodeString(text)
	if err != nil || len(b) < 4 {
		return nil
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum || len(body) < 2 || body[0] != cursorVersion || body[1] > 1 {
		return nil
	}
	c := &Cursor{Anchored: body[1] == 1}
	body = body[2:]
	page, n := binary.Uvarint(body)
	if n <= 0 || page == 0 || page > 1<<53 {
		return nil
	}
	c.Page, body = page, body[n:]
	tail := 8
	if c.Anchored {
		tail += 4
	}
	if len(body) < 1 || len(body) != 1+int(body[0])+tail {
		return nil
	}
	c.Key, body = body[1:1+body[0]], body[1+body[0]:]
	c.Fingerprint = binary.BigEndian.Uint64(body)
	if c.Anchored {
		c.Anchor = binary.BigEndian.Uint32(body[8:])
	}
	if c.String() != text {
		return nil
	}
	return c
}

// PositionOf decodes the key of a cursor of mints or burns.
func PositionOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key)) }

// PositionKey returns the key of a cursor of mints or burns.
func PositionKey(pos int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(pos)) }

// Fingerprint returns the fingerprint of a description of a list.
func Fingerprint(list []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(list)
	return h.Sum64()
}

// Positioned returns an error if the key of a cursor is no position.
func (c *Cursor) Positioned() error {
	if c != nil && len(c.Key) != 8 {
		return apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this connection returned")
	}
	return nil
}

// Encoding is the encoding of cursors and ids.
var Encoding = base64.RawURLEncoding.Strict()

// AnchorOf returns the part of a block's hash that a cursor contains.
func AnchorOf(hashPrefix int64) uint32 { return uint32(uint64(hashPrefix) >> 32) }
