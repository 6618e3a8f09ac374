package recording

import (
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// document parses the value of "metadata", or of "collection", which has no token id. All its
// fields are required.
func (d *decoder) document(ofCollection bool) (*nft.Document, error) {
	doc := &nft.Document{OfCollection: ofCollection}
	required := []string{"address", "uri", "fetchedAt", "document"}
	if !ofCollection {
		required = append(required, "tokenId")
	}
	return doc, d.Object(wire.Fields{Required: required}, func(name string) (err error) {
		switch name {
		case "uri":
			doc.URI, err = d.Text()
			return err
		case "document":
			doc.Raw, err = d.Text()
			return err
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
