package graph

import (
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// MarshalOrder writes the enum Order.
func MarshalOrder(o store.Order) graphql.Marshaler { return written(fastql.AppendName(nil, o)) }

// UnmarshalOrder reads the enum Order.
func UnmarshalOrder(v any) (store.Order, error) {
	return oneOf(v, "ASC or DESC", store.Asc, store.Desc)
}

// MarshalFinality writes the enum Finality.
func MarshalFinality(f store.Finality) graphql.Marshaler { return written(fastql.AppendName(nil, f)) }

// UnmarshalFinality reads the enum Finality.
func UnmarshalFinality(v any) (store.Finality, error) {
	return oneOf(v, "LATEST or FINALIZED", store.Latest, store.Finalized)
}

// MarshalInterval writes the enum Interval.
func MarshalInterval(i store.Interval) graphql.Marshaler { return written(fastql.AppendName(nil, i)) }

// UnmarshalInterval reads the enum Interval.
func UnmarshalInterval(v any) (store.Interval, error) {
	return oneOf(v, "HOUR, DAY, WEEK or MONTH", store.Hour, store.Day, store.Week, store.Month)
}

// AppendContractType appends the enum ContractType.
func AppendContractType(b []byte, t nft.ContractType) []byte { return fastql.AppendName(b, t) }

// MarshalContractType writes the enum ContractType.
func MarshalContractType(t nft.ContractType) graphql.Marshaler {
	return written(AppendContractType(nil, t))
}

// UnmarshalContractType reads the enum ContractType.
func UnmarshalContractType(v any) (nft.ContractType, error) {
	return oneOf(v, "ERC721 or ERC1155", nft.ERC721, nft.ERC1155)
}

// AppendMetadataState appends the enum MetadataState.
func AppendMetadataState(b []byte, s nft.MetadataState) []byte { return fastql.AppendName(b, s) }

// MarshalMetadataState writes the enum MetadataState.
func MarshalMetadataState(s nft.MetadataState) graphql.Marshaler {
	return written(AppendMetadataState(nil, s))
}

// UnmarshalMetadataState reads the enum MetadataState.
func UnmarshalMetadataState(v any) (nft.MetadataState, error) {
	return oneOf(v, "PENDING, RESOLVED or FAILED", nft.Pending, nft.Resolved, nft.Failed)
}

// oneOf reads an enum that has these values.
func oneOf[T ~string](v any, want string, values ...T) (T, error) {
	text, ok := v.(string)
	if !ok || !slices.Contains(values, T(text)) {
		return "", fmt.Errorf("got %s, want %s", evm.Describe(v), want)
	}
	return T(text), nil
}
