package graph

import (
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

// name writes an enum value, which needs no escapes.
func name[T ~string](value T) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) { _, _ = io.WriteString(w, `"`+string(value)+`"`) })
}
