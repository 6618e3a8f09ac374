package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"mintburn/internal/fastql"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/page"
)

// MarshalOrder writes the enum Order.
func MarshalOrder(o store.Order) graphql.Marshaler { return written(fastql.AppendName(nil, o)) }

// MarshalFinality writes the enum Finality.
func MarshalFinality(f store.Finality) graphql.Marshaler { return written(fastql.AppendName(nil, f)) }

// MarshalInterval writes the enum Interval.
func MarshalInterval(i page.Interval) graphql.Marshaler { return written(fastql.AppendName(nil, i)) }

// UnmarshalInterval reads the enum Interval.
func UnmarshalInterval(v any) (page.Interval, error) {
	return oneOf(v, "HOUR, DAY, WEEK or MONTH", page.Hour, page.Day, page.Week, page.Month)
}

// MarshalContractType writes the enum ContractType.
func MarshalContractType(t nft.ContractType) graphql.Marshaler {
	return written(AppendContractType(nil, t))
}

// UnmarshalContractType reads the enum ContractType.
func UnmarshalContractType(v any) (nft.ContractType, error) {
	return oneOf(v, "ERC721 or ERC1155", nft.ERC721, nft.ERC1155)
}

// MarshalMetadataState writes the enum MetadataState.
func MarshalMetadataState(s nft.MetadataState) graphql.Marshaler {
	return written(AppendMetadataState(nil, s))
}

// UnmarshalMetadataState reads the enum MetadataState.
func UnmarshalMetadataState(v any) (nft.MetadataState, error) {
	return oneOf(v, "PENDING, RESOLVED or FAILED", nft.Pending, nft.Resolved, nft.Failed)
}

// MarshalVersionCause writes the enum VersionCause.
func MarshalVersionCause(c nft.Cause) graphql.Marshaler {
	return written(AppendVersionCause(nil, c))
}

// UnmarshalVersionCause reads the enum VersionCause.
func UnmarshalVersionCause(v any) (nft.Cause, error) {
	return oneOf(v, "FIRST, EVENT, RECHECK or IMPORT", nft.First, nft.Event, nft.Recheck, nft.Import)
}

// AppendTokenState appends the enum TokenState.
func AppendTokenState(b []byte, s store.TokenState) []byte { return fastql.AppendName(b, s) }

// MarshalTokenState writes the enum TokenState.
func MarshalTokenState(s store.TokenState) graphql.Marshaler {
	return written(AppendTokenState(nil, s))
}

// UnmarshalTokenState reads the enum TokenState.
func UnmarshalTokenState(v any) (store.TokenState, error) {
	return oneOf(v, "EXISTS, BURNED or UNKNOWN", store.TokenExists, store.TokenBurned, store.TokenUnknown)
}
