package recording

import (
	"fmt"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// document parses the value of "metadata", or of "collection".
func (d *decoder) document(ofCollection bool) (*nft.Document, error) {
	doc := &nft.Document{OfCollection: ofCollection}
	fields := wire.Fields{Required: []string{"address", "uri", "fetchedAt", "document"}, Optional: []string{"name", "symbol"}}
	if !ofCollection {
		fields.Required, fields.Optional = append(fields.Required, "tokenId"), []string{"contractType"}
	}
	return doc, d.Object(fields, func(name string) error {
		switch name {
		case "uri", "document", "name", "symbol", "contractType":
			return d.documentText(doc, name)
		}
		raw, err := d.Value()
		if err != nil {
			return err
		}
		switch name {
		case "address":
			return doc.Contract.UnmarshalJSON(raw)
		case "tokenId":
			return doc.TokenID.UnmarshalJSON(raw)
		default:
			doc.FetchedAt, err = wire.Quantity(raw, evm.MaxLong)
			return err
		}
	})
}

// documentText reads a member of a document that is a string.
func (d *decoder) documentText(doc *nft.Document, name string) error {
	text, err := d.Text()
	switch name {
	case "uri":
		doc.URI = text
	case "document":
		doc.Raw = text
	case "name":
		doc.Name = &text
	case "symbol":
		doc.Symbol = &text
	default:
		if doc.Type = nft.ContractType(text); err == nil && doc.Type != nft.ERC721 && doc.Type != nft.ERC1155 {
			err = fmt.Errorf("got %s, want ERC721 or ERC1155", evm.Excerpt(text))
		}
	}
	return err
}
