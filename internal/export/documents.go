package export

import (
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mintburn/internal/nft"
)

// documentWriter writes documents as lines of docs/data.md#import.
type documentWriter struct {
	out  io.Writer
	text []byte
}

func (w *documentWriter) write(rows []*nft.Document) error {
	w.text = w.text[:0]
	for _, d := range rows {
		if err := w.line(d); err != nil {
			return err
		}
		if err := drain(w.out, &w.text, false); err != nil {
			return err
		}
	}
	return drain(w.out, &w.text, true)
}

// line appends the line of a document.
func (w *documentWriter) line(d *nft.Document) error {
	kind := `{"metadata":{"address":"`
	if d.OfCollection {
		kind = `{"collection":{"address":"`
	}
	b := append(d.Contract.Append(append(w.text, kind...)), '"')
	if !d.OfCollection {
		b = append(d.TokenID.Append(append(b, `,"tokenId":"`...)), '"')
	}
	var err error
	text := func(name string, value *string) {
		if value != nil && err == nil {
			b, err = jsontext.AppendQuote(append(b, name...), *value)
		}
	}
	text(`,"uri":`, &d.URI)
	b = strconv.AppendUint(append(b, `,"fetchedAt":`...), d.FetchedAt, 10)
	text(`,"document":`, &d.Raw)
	text(`,"name":`, d.Name)
	text(`,"symbol":`, d.Symbol)
	if d.Type == nft.ERC1155 {
		b = append(b, `,"contractType":"ERC1155"`...)
	}
	w.text = append(b, "}}\n"...)
	return err
}

func (w *documentWriter) end(*string) error { return nil }
