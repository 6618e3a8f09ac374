package chain

import (
	"errors"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// The fields of a recorded token document.
const (
	fieldContract = iota
	fieldTokenID
	fieldURI
	fieldFetchedAt
	fieldDocument
)

func documentField(name []byte) int {
	switch string(name) {
	case "address":
		return fieldContract
	case "tokenId":
		return fieldTokenID
	case "uri":
		return fieldURI
	case "fetchedAt":
		return fieldFetchedAt
	case "document":
		return fieldDocument
	default:
		return unknown
	}
}

// document reads the value of "metadata". All its fields are required.
func (d *decoder) document() (*nft.Document, error) {
	doc := new(nft.Document)
	seen, err := d.object(documentField, func(field int) (err error) {
		switch field {
		case fieldURI:
			doc.URI, err = d.text()
			return within("uri", err)
		case fieldDocument:
			doc.Raw, err = d.text()
			return within("document", err)
		}
		raw, err := d.value()
		if err != nil {
			return err
		}
		switch field {
		case fieldContract:
			return within("address", decodeFixed(doc.Contract[:], raw))
		case fieldTokenID:
			if err := doc.TokenID.UnmarshalJSON(raw); err != nil {
				return fmt.Errorf("tokenId: %w", err)
			}
			return nil
		default:
			doc.FetchedAt, err = quantity(raw, evm.MaxLong)
			return within("fetchedAt", err)
		}
	})
	if err != nil {
		return nil, err
	}
	for field, name := range []string{"address", "tokenId", "uri", "fetchedAt", "document"} {
		if !seen.has(field) {
			return nil, errors.New("no " + name)
		}
	}
	return doc, nil
}
