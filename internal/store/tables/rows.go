package tables

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// RejectedRow returns the row of a rejected log of a block.
func RejectedRow(number uint64, r *nft.Rejected) (*ent.RejectedLog, error) {
	if r.Log.Index >= 1<<SlotBits {
		return nil, fmt.Errorf("block %d: log index %d: want less than 2^%d", number, r.Log.Index, SlotBits)
	}
	topics := make([]byte, 0, 32*len(r.Log.Topics))
	for _, topic := range r.Log.Topics {
		topics = append(topics, topic[:]...)
	}
	data := r.Log.Data
	if data == nil {
		data = []byte{}
	}
	return &ent.RejectedLog{
		ID: FirstIn(number) | int64(r.Log.Index), Address: r.Log.Address, TxHash: r.Log.TxHash, Topics: topics, Data: data, Reason: r.Reason,
	}, nil
}

// TransactionID returns the key of a transaction of a block, whose index is in a list of at
// most 2^30.
func TransactionID(number uint64, index uint32) int64 { return FirstIn(number) | int64(index) }

// TransactionRow returns the row of a transaction of a block. It shares memory with tx.
func TransactionRow(number uint64, tx *evm.Transaction) *ent.Transaction {
	return &ent.Transaction{ID: TransactionID(number, tx.Index), Sender: tx.From, Receiver: tx.To, Value: tx.Value, Fee: tx.Fee}
}

// DetailsOf returns the details in the row of a transaction.
func DetailsOf(row *ent.Transaction) evm.TransactionDetails {
	details := evm.TransactionDetails{From: row.Sender, Value: row.Value}
	if row.Receiver != nil {
		details.To = new(*row.Receiver)
	}
	if row.Fee != nil {
		details.Fee = new(*row.Fee)
	}
	return details
}

// EachRow calls f with each row of a table in a range of keys. f may leave an error in the row, which
// does not stop it.
func EachRow(ctx context.Context, s Querier, table string, columns []string, from, to int64, f func(*database.Row)) error {
	rows := s.Builder().Select(columns...).From(s.Builder().Table(table)).Where(entsql.And(entsql.GTE("id", from), entsql.LTE("id", to))).OrderBy("id")
	return s.Query(ctx, rows, func(values *database.Row) error {
		f(values)
		values.Forgive()
		return nil
	})
}
