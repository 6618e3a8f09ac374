package recording

import (
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// document parses the value of "metadata". All its fields are required.
func (d *decoder) document() (*nft.Document, error) {
	doc := new(nft.Document)
	required := []string{"address", "tokenId", "uri", "fetchedAt", "document"}
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
