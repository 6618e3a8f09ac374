package graph

import (
	"errors"
	"fmt"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// MarshalOrder writes the enum Order.
func MarshalOrder(o store.Order) graphql.Marshaler { return name(o) }

// UnmarshalOrder reads the enum Order.
func UnmarshalOrder(v any) (store.Order, error) {
	text, ok := v.(string)
	if o := store.Order(text); ok && (o == store.Asc || o == store.Desc) {
		return o, nil
	}
	return "", fmt.Errorf("invalid Order: want ASC or DESC")
}

// MarshalContractType writes the enum ContractType.
func MarshalContractType(t nft.ContractType) graphql.Marshaler { return name(t) }

// UnmarshalContractType reads the enum ContractType.
func UnmarshalContractType(v any) (nft.ContractType, error) {
	text, ok := v.(string)
	if t := nft.ContractType(text); ok && (t == nft.ERC721 || t == nft.ERC1155) {
		return t, nil
	}
	return "", fmt.Errorf("invalid ContractType: want ERC721 or ERC1155")
}

// MarshalMetadataState writes the enum MetadataState.
func MarshalMetadataState(s nft.MetadataState) graphql.Marshaler { return name(s) }

// UnmarshalMetadataState reads the enum MetadataState.
func UnmarshalMetadataState(v any) (nft.MetadataState, error) {
	text, ok := v.(string)
	if s := nft.MetadataState(text); ok && (s == nft.Pending || s == nft.Resolved || s == nft.Failed) {
		return s, nil
	}
	return "", fmt.Errorf("invalid MetadataState: want PENDING, RESOLVED or FAILED")
}

// MarshalCursor writes the scalar Cursor.
func MarshalCursor(text string) graphql.Marshaler { return graphql.MarshalString(text) }

// UnmarshalCursor reads the scalar Cursor: a string, and nothing that could be
// made one.
func UnmarshalCursor(v any) (string, error) {
	text, ok := v.(string)
	if !ok {
		return "", errors.New("invalid Cursor: want a string that this API returned")
	}
	return text, nil
}

// MarshalInt writes the scalar Int.
func MarshalInt(i int) graphql.Marshaler { return graphql.MarshalInt(i) }

// UnmarshalInt reads the scalar Int: an integer of 32 bits, and not the text of
// one. GraphQL specification, section 3.5.1.
func UnmarshalInt(v any) (int, error) {
	if _, ok := v.(string); !ok {
		if i, err := graphql.UnmarshalInt32(v); err == nil {
			return int(i), nil
		}
	}
	return 0, errors.New("invalid Int: want an integer of 32 bits")
}

// name writes an enum value, which needs no escapes.
func name[T ~string](value T) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, `"`+string(value)+`"`) })
}
