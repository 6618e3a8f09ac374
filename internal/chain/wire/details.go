package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"mintburn/internal/evm"
)

// Details returns the wanted transactions of a block with their details. The block lists its
// transactions as objects, and the receipts are read with [Logs.Costs]. Transactions without an
// object or a receipt are left out. Details fails if a value is missing or malformed.
func Details(block *Header, receipts []Receipt, wanted func(evm.Hash) bool) (list []evm.Transaction, err error) {
	raw := block.get("transactions")
	if IsNull(raw) {
		return nil, nil
	}
	of := make(map[evm.Hash]*Receipt, len(receipts))
	for i := range receipts {
		of[receipts[i].TxHash] = &receipts[i]
	}
	r := NewReader()
	r.Reset(raw)
	err = r.Array("transaction", func(i int) error {
		value, err := r.Value()
		if err != nil || value[0] != '{' {
			return err
		}
		var object struct {
			Hash     evm.Hash
			From, To *evm.Address
			Value    *evm.Uint256

			Type, FeeCurrency, GatewayFee, FeeToken, FeeTokenID json.RawMessage
		}
		if err := json.Unmarshal(value, &object); err != nil {
			return err
		}
		receipt := of[object.Hash]
		if receipt == nil || !wanted(object.Hash) {
			return nil
		}
		if object.From == nil || object.Value == nil {
			return errors.New("no from or value")
		}
		tx := evm.Transaction{Hash: object.Hash, Index: uint32(i)}
		tx.From, tx.To, tx.Value = *object.From, object.To, *object.Value
		if kind, err := Quantity(object.Type, math.MaxUint8); err == nil && !receipt.HasType {
			receipt.Type, receipt.HasType = kind, true
		}
		// A transaction of Celo's types without a fee currency pays in wei, if its object says so.
		inCelo := object.FeeCurrency != nil || receipt.Type != celoType && receipt.Type != oldCeloType
		if tx.Fee, err = receipt.fee(inCelo && isZero(object.FeeCurrency) && isZero(object.GatewayFee) && isZero(object.FeeToken) && isZero(object.FeeTokenID)); err != nil {
			return fmt.Errorf("receipt: %w", err)
		}
		list = append(list, tx)
		return nil
	})
	return list, err
}
