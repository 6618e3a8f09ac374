package wire

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"mintburn/internal/evm"
)

// costFields are the fields of a receipt that its fee is computed from.
var costFields = []string{
	"gasUsed", "effectiveGasPrice", "l1Fee", "blobGasUsed", "blobGasPrice", "operatorFeeScalar", "operatorFeeConstant", "daFootprintGasScalar",
	"feeCurrency", "gatewayFee", "feeToken", "feeTokenID", "tokenRatio",
}

// notWei are the fields of a transaction or a receipt which show that its fee is in another
// currency, or has parts that are computed otherwise (Celo, Tempo, Morph, Mantle).
var notWei = costFields[8:]

// costs are the values of costFields, without those that the receipt lacks.
type costs map[string]*big.Int

// read reads one of costFields.
func (c costs) read(name string, raw []byte) error {
	var value evm.Uint256
	if slices.Contains(notWei, name) {
		if !isZero(raw) {
			c[name] = nil
		}
		return nil
	}
	err := value.UnmarshalJSON(raw)
	c[name] = (*uint256.Int)(&value).ToBig()
	return err
}

// isZero reports whether a value is absent, null, or a zero of any length.
func isZero(raw []byte) bool { return IsNull(raw) || strings.Trim(string(raw), `"0x`) == "" }

// fee returns the fee in wei, given whether the transaction pays in wei:
//
//	gasUsed × effectiveGasPrice + l1Fee + the operator's fee + blobGasUsed × blobGasPrice
//
// The last part is that of blob transactions. On OP stacks since Jovian blobGasUsed is something
// else in other transactions. A fee whose parts are not all known is nil, as is one in another
// currency. fee fails if the sum does not fit into 256 bits.
func (receipt *Receipt) fee(wei bool) (*evm.Uint256, error) {
	c := receipt.costs
	for _, name := range notWei {
		_, found := c[name]
		wei = wei && !found
	}
	isBlob := receipt.Type == types.BlobTxType || !receipt.HasType && c["blobGasUsed"] != nil
	if !wei || c["gasUsed"] == nil || c["effectiveGasPrice"] == nil || isBlob && (c["blobGasUsed"] == nil || c["blobGasPrice"] == nil) {
		return nil, nil
	}
	sum := new(big.Int).Mul(c["gasUsed"], c["effectiveGasPrice"])
	if isBlob {
		sum.Add(sum, new(big.Int).Mul(c["blobGasUsed"], c["blobGasPrice"]))
	}
	if receipt.Type != depositType {
		operator, known := c.operatorFee(isBlob)
		if !known {
			return nil, nil
		}
		if sum.Add(sum, operator); c["l1Fee"] != nil {
			sum.Add(sum, c["l1Fee"])
		}
	}
	fee, over := uint256.FromBig(sum)
	if over {
		return nil, errors.New("the fee is 2^256 or more")
	}
	return (*evm.Uint256)(fee), nil
}

// operatorFee returns the fee for the operator of an OP stack chain: since Isthmus
// gasUsed × operatorFeeScalar / 10^6 + operatorFeeConstant, since Jovian gasUsed ×
// operatorFeeScalar × 100 + operatorFeeConstant. known is false if the receipt does not show
// which.
func (c costs) operatorFee(isBlob bool) (fee *big.Int, known bool) {
	scalar, constant := c["operatorFeeScalar"], c["operatorFeeConstant"]
	switch {
	case scalar == nil && constant == nil:
		return new(big.Int), true
	case scalar == nil || constant == nil:
		return nil, false
	}
	fee = new(big.Int).Mul(c["gasUsed"], scalar)
	switch {
	case c["daFootprintGasScalar"] != nil:
		fee.Mul(fee, big.NewInt(100))
	case fee.Sign() > 0 && !isBlob && c["blobGasUsed"] != nil:
		// Only Jovian has it in other transactions, and Jovian has the scalar too.
		return nil, false
	default:
		fee.Quo(fee, big.NewInt(1_000_000))
	}
	return fee.Add(fee, constant), true
}
