package store

// ParseCursor reads a cursor of any list and writes it again.
func ParseCursor(text string) (again string, err error) {
	// A cursor holds its list's fingerprint right before its end: try what is
	// there, as an attacker would.
	for _, fingerprint := range fingerprintsIn(text) {
		if c, err := parseCursor(text, fingerprint); err == nil {
			return c.String(), nil
		}
	}
	_, err = parseCursor(text, 0)
	return "", err
}

func fingerprintsIn(text string) (list []uint64) {
	b, err := cursorText.DecodeString(text)
	if err != nil {
		return nil
	}
	for i := 0; i+8 <= len(b); i++ {
		var n uint64
		for _, x := range b[i : i+8] {
			n = n<<8 | uint64(x)
		}
		list = append(list, n)
	}
	return list
}

// NewCursor returns the text of a cursor, valid or not.
func NewCursor(page uint64, key []byte, fingerprint uint64, anchored bool, anchor uint32) string {
	c := cursor{page: page, key: key, fingerprint: fingerprint, anchored: anchored, anchor: anchor}
	return c.String()
}
