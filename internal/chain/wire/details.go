package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/holiman/uint256"

	"mintburn/internal/evm"
)

// costFields are the fields of a receipt that its fee is computed from.
var costFields = []string{"gasUsed", "effectiveGasPrice", "l1Fee", "blobGasUsed", "blobGasPrice"}

// costs are the values of costFields, nil where the receipt has none.
type costs [5]*evm.Uint256

// read reads one of costFields.
func (c *costs) read(name string, raw []byte) error {
	value := new(evm.Uint256)
	c[slices.Index(costFields, name)] = value
	return value.UnmarshalJSON(raw)
}

// fee returns gasUsed × effectiveGasPrice + l1Fee + blobGasUsed × blobGasPrice, nil if a price
// or the used gas is missing. It fails if the sum does not fit into 256 bits.
func (c *costs) fee() (*evm.Uint256, error) {
	if c == nil || c[0] == nil || c[1] == nil || c[3] != nil && c[4] == nil {
		return nil, nil
	}
	value := func(i int) *uint256.Int {
		if c[i] == nil {
			return new(uint256.Int)
		}
		return (*uint256.Int)(c[i])
	}
	gas, over := new(uint256.Int).MulOverflow(value(0), value(1))
	blobs, more := new(uint256.Int).MulOverflow(value(3), value(4))
	sum, most := gas.AddOverflow(gas, value(2))
	if _, last := sum.AddOverflow(sum, blobs); over || more || most || last {
		return nil, errors.New("the fee is 2^256 or more")
	}
	return (*evm.Uint256)(sum), nil
}

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
		if tx.Fee, err = receipt.costs.fee(); err != nil {
			return fmt.Errorf("receipt: %w", err)
		}
		list = append(list, tx)
		return nil
	})
	return list, err
}
