package tables

import (
	"golang.org/x/text/cases"

	"mintburn/internal/evm"
)

// FoldName returns a name in the form in which names are compared, see
// golang.org/x/text/cases.Fold.
func FoldName(name string) string { return cases.Fold().String(name) }

// SearchKey returns the column search_key of contract_metadata, which sorts collections by
// folded name and address: the folded name, U+0000, which no name contains, and the address.
func SearchKey(name *string, address evm.Address) []byte {
	if name == nil {
		return nil
	}
	return append(append([]byte(FoldName(*name)), 0), address[:]...)
}
