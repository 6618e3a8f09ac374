package store

// ParseCursor reads a cursor of any list and writes it again.
func ParseCursor(text string) (again string, err error) {
	c, err := parseCursor(text)
	if err != nil {
		return "", err
	}
	return c.String(), nil
}

// NewCursor returns the text of a cursor, valid or not.
func NewCursor(page uint64, key []byte, fingerprint uint64, anchored bool, anchor uint32) string {
	c := cursor{page: page, key: key, fingerprint: fingerprint, anchored: anchored, anchor: anchor}
	return c.String()
}
