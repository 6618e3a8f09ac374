package graph

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// AppendOrder appends the enum Order.
func AppendOrder(b []byte, o store.Order) []byte { return fastql.AppendName(b, o) }

// MarshalOrder writes the enum Order.
func MarshalOrder(o store.Order) graphql.Marshaler { return written(AppendOrder(nil, o)) }

// UnmarshalOrder reads the enum Order.
func UnmarshalOrder(v any) (store.Order, error) {
	text, ok := v.(string)
	if o := store.Order(text); ok && (o == store.Asc || o == store.Desc) {
		return o, nil
	}
	return "", fmt.Errorf("invalid Order %s: want ASC or DESC", evm.Describe(v))
}

// AppendContractType appends the enum ContractType.
func AppendContractType(b []byte, t nft.ContractType) []byte { return fastql.AppendName(b, t) }

// MarshalContractType writes the enum ContractType.
func MarshalContractType(t nft.ContractType) graphql.Marshaler {
	return written(AppendContractType(nil, t))
}

// UnmarshalContractType reads the enum ContractType.
func UnmarshalContractType(v any) (nft.ContractType, error) {
	text, ok := v.(string)
	if t := nft.ContractType(text); ok && (t == nft.ERC721 || t == nft.ERC1155) {
		return t, nil
	}
	return "", fmt.Errorf("invalid ContractType %s: want ERC721 or ERC1155", evm.Describe(v))
}

// AppendMetadataState appends the enum MetadataState.
func AppendMetadataState(b []byte, s nft.MetadataState) []byte { return fastql.AppendName(b, s) }

// MarshalMetadataState writes the enum MetadataState.
func MarshalMetadataState(s nft.MetadataState) graphql.Marshaler {
	return written(AppendMetadataState(nil, s))
}

// UnmarshalMetadataState reads the enum MetadataState.
func UnmarshalMetadataState(v any) (nft.MetadataState, error) {
	text, ok := v.(string)
	if s := nft.MetadataState(text); ok && (s == nft.Pending || s == nft.Resolved || s == nft.Failed) {
		return s, nil
	}
	return "", fmt.Errorf("invalid MetadataState %s: want PENDING, RESOLVED or FAILED", evm.Describe(v))
}

// AppendCursor appends the scalar Cursor.
func AppendCursor(b []byte, text string) []byte { return fastql.AppendString(b, text) }

// MarshalCursor writes the scalar Cursor.
func MarshalCursor(text string) graphql.Marshaler { return written(AppendCursor(nil, text)) }

// UnmarshalCursor reads the scalar Cursor: a string, and nothing that could be
// made one.
func UnmarshalCursor(v any) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("invalid Cursor %s: want a string that this API returned", evm.Describe(v))
	}
	return text, nil
}

// AppendInt appends the scalar Int.
func AppendInt(b []byte, i int) []byte { return strconv.AppendInt(b, int64(i), 10) }

// MarshalInt writes the scalar Int.
func MarshalInt(i int) graphql.Marshaler { return written(AppendInt(nil, i)) }

// UnmarshalInt reads the scalar Int: an integer of 32 bits, and not the text of
// one. GraphQL specification, section 3.5.1.
func UnmarshalInt(v any) (int, error) {
	if _, ok := v.(string); !ok {
		if i, err := graphql.UnmarshalInt32(v); err == nil {
			return int(i), nil
		}
	}
	return 0, fmt.Errorf("invalid Int %s: want an integer from -2^31 to 2^31-1", evm.Describe(v))
}

// ItemCursor is the scalar Cursor of an item of a page. It is text only when it
// is written.
type ItemCursor struct {
	page pager
	i    int
}

// AppendGQL appends the scalar Cursor.
func (c ItemCursor) AppendGQL(b []byte) []byte {
	return append(c.page.AppendCursorAt(append(b, '"'), c.i), '"')
}

// MarshalGQL implements [graphql.Marshaler].
func (c ItemCursor) MarshalGQL(w io.Writer) { written(c.AppendGQL(nil)).MarshalGQL(w) }

// UnmarshalGQL implements [graphql.Unmarshaler], which gqlgen asks of a scalar;
// arguments are read by [UnmarshalCursor].
func (*ItemCursor) UnmarshalGQL(any) error { return errOutput }

// RecordID is the scalar ID of a mint or burn. It is text only when it is
// written.
type RecordID struct{ record *store.Transfer }

// AppendGQL appends the scalar ID.
func (id RecordID) AppendGQL(b []byte) []byte {
	return append(id.record.AppendID(append(b, '"')), '"')
}

// MarshalGQL implements [graphql.Marshaler].
func (id RecordID) MarshalGQL(w io.Writer) { written(id.AppendGQL(nil)).MarshalGQL(w) }

// UnmarshalGQL implements [graphql.Unmarshaler], which gqlgen asks of a scalar;
// arguments are strings.
func (*RecordID) UnmarshalGQL(any) error { return errOutput }

var errOutput = errors.New("internal error: the type is for output only")

// written writes JSON as it is.
type written []byte

// MarshalGQL implements [graphql.Marshaler].
func (b written) MarshalGQL(w io.Writer) { _, _ = w.Write(b) }
