package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
)

// transfer returns the step for a field of Mint or Burn.
func (c *compiler) transfer(f graphql.CollectedField) step[transfer] {
	if f.Name == "metadata" {
		object := c.token(f.Selections)
		return step[transfer]{ask: func(ctx context.Context, b []byte, t transfer) ([]byte, error) {
			m, err := t.Metadata(ctx)
			if err != nil || m == nil {
				return appendNull(b), err
			}
			return object.append(ctx, b, *m)
		}}
	}
	return step[transfer]{write: transferValue(f.Name)}
}

// transferValue returns what writes a value of a mint or burn; nil for a field
// that it does not know.
func transferValue(name string) func(b []byte, t transfer) []byte {
	switch name {
	case "id":
		return func(b []byte, t transfer) []byte { return append(t.AppendID(append(b, '"')), '"') }
	case "tokenAddress":
		return func(b []byte, t transfer) []byte { return t.Contract.AppendQuoted(b) }
	case "contractType":
		return func(b []byte, t transfer) []byte { return appendName(b, t.Type) }
	case "tokenId":
		return func(b []byte, t transfer) []byte { return t.TokenID.AppendQuoted(b) }
	case "blockHash":
		return func(b []byte, t transfer) []byte { return t.Block.Hash.AppendQuoted(b) }
	case "blockNumber":
		return func(b []byte, t transfer) []byte { return appendInt(b, t.Block.Number) }
	case "transactionHash":
		return func(b []byte, t transfer) []byte { return t.TxHash.AppendQuoted(b) }
	case "logIndex":
		return func(b []byte, t transfer) []byte { return appendInt(b, t.LogIndex()) }
	case "subIndex":
		return func(b []byte, t transfer) []byte { return appendInt(b, t.SubIndex()) }
	case "from":
		return func(b []byte, t transfer) []byte { return t.From.AppendQuoted(b) }
	case "to":
		return func(b []byte, t transfer) []byte { return t.To.AppendQuoted(b) }
	case "amount":
		return func(b []byte, t transfer) []byte { return t.Amount.AppendQuoted(b) }
	case "operator":
		return func(b []byte, t transfer) []byte {
			if operator := t.Operator(); operator != nil {
				return operator.AppendQuoted(b)
			}
			return appendNull(b)
		}
	case "timestamp", "blockTime":
		return func(b []byte, t transfer) []byte { return appendInt(b, t.Time) }
	default:
		return nil
	}
}
