package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/testing/expect"
)

// detailsOf returns the details of the only transaction of a block.
func detailsOf(t *testing.T, tx, receipt string) ([]evm.Transaction, error) {
	t.Helper()
	hash := `"0x` + strings.Repeat("07", 32) + `"`
	r, block, logs := wire.NewReader(), new(wire.Header), &wire.Logs{Costs: true}
	r.Reset(fmt.Appendf(nil, `{"transactions": [%s]}`, strings.ReplaceAll(tx, "HASH", hash)))
	expect.NoError(t, block.Read(r))
	r.Reset(fmt.Appendf(nil, `{"logs": [], "transactionHash": %s%s}`, hash, receipt))
	if err := logs.ReadReceipt(r); err != nil {
		return nil, err
	}
	return wire.Details(block, logs.Receipts, func(evm.Hash) bool { return true })
}

func TestDetails(t *testing.T) {
	from, to := "0x"+strings.Repeat("11", 20), "0x"+strings.Repeat("22", 20)
	most := "0x" + strings.Repeat("f", 64)
	whole := fmt.Sprintf(`{"hash": HASH, "from": %q, "to": %q, "value": "0x5"}`, from, to)
	const paid = `, "gasUsed": "0x64", "effectiveGasPrice": "0x3"`
	typed := func(kind int) string { return fmt.Sprintf(`, "type": "%#x"`, kind) + paid }
	with := func(field string) string { return strings.Replace(whole, "{", "{"+field+", ", 1) }
	operator := func(scalar, constant string) string {
		return fmt.Sprintf(`, "operatorFeeScalar": %q, "operatorFeeConstant": %q`, scalar, constant)
	}
	for name, c := range map[string]struct{ tx, receipt, want string }{
		"gas":                      {whole, paid, from + " " + to + " 5 300"},
		"blobs":                    {whole, paid + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 262444"},
		"a blob price alone":       {whole, paid + `, "blobGasPrice": "0x2"`, from + " " + to + " 5 300"},
		"the layer below":          {whole, paid + `, "l1Fee": "0x7"`, from + " " + to + " 5 307"},
		"no fee of the layer":      {whole, paid + `, "l1Fee": null`, from + " " + to + " 5 300"},
		"no price":                 {whole, `, "gasUsed": "0x64"`, from + " " + to + " 5 null"},
		"a null price":             {whole, `, "gasUsed": "0x64", "effectiveGasPrice": null`, from + " " + to + " 5 null"},
		"no gas":                   {whole, `, "effectiveGasPrice": "0x3"`, from + " " + to + " 5 null"},
		"no blob price":            {whole, paid + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 null"},
		"a blob transaction":       {whole, typed(3) + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 262444"},
		"with its type":            {with(`"type": "0x3"`), paid + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 262444"},
		"blobs without blob gas":   {whole, typed(3) + `, "blobGasPrice": "0x2"`, from + " " + to + " 5 null"},
		"blobs without a price":    {whole, typed(3) + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 null"},
		"a footprint":              {whole, typed(2) + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 300"},
		"a footprint with a price": {whole, typed(0) + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 300"},
		"a type of its object":     {with(`"type": "0x4"`), paid + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 300"},
		"Isthmus":                  {whole, typed(2) + operator("0x2dc6c0", "0x7"), from + " " + to + " 5 607"},
		"Isthmus, rounded down":    {whole, typed(2) + operator("0x270f", "0x0"), from + " " + to + " 5 300"},
		"Isthmus, blobs":           {whole, typed(3) + operator("0x2dc6c0", "0x7") + `, "blobGasUsed": "0x1", "blobGasPrice": "0x2"`, from + " " + to + " 5 609"},
		"Jovian":                   {whole, typed(2) + operator("0x3", "0x7") + `, "blobGasUsed": "0x20000", "daFootprintGasScalar": "0x190"`, from + " " + to + " 5 30307"},
		"Jovian without its own":   {whole, typed(2) + operator("0x3", "0x7") + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 null"},
		"a constant alone":         {whole, typed(2) + operator("0x0", "0x7") + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 307"},
		"no constant":              {whole, typed(2) + `, "operatorFeeScalar": "0x3"`, from + " " + to + " 5 null"},
		"no scalar":                {whole, typed(2) + `, "operatorFeeConstant": "0x3"`, from + " " + to + " 5 null"},
		"null scalars":             {whole, typed(2) + `, "operatorFeeScalar": null, "operatorFeeConstant": null`, from + " " + to + " 5 300"},
		"all layers":               {whole, typed(2) + operator("0x3", "0x7") + `, "daFootprintGasScalar": "0x0", "l1Fee": "0x1"`, from + " " + to + " 5 30308"},
		"a deposit":                {whole, typed(0x7e) + operator("0x3", "0x7") + `, "daFootprintGasScalar": "0x0", "l1Fee": "0x1"`, from + " " + to + " 5 300"},
		"an operator of 256 bits":  {whole, typed(2) + operator(most, most), "error receipt: the fee is 2^256 or more"},
		"another currency":         {with(fmt.Sprintf(`"feeCurrency": %q`, from)), typed(0x7b), from + " " + to + " 5 null"},
		"perhaps another currency": {whole, typed(0x7b), from + " " + to + " 5 null"},
		"an older type":            {whole, typed(0x7c), from + " " + to + " 5 null"},
		"the chain's currency":     {with(`"feeCurrency": null`), typed(0x7b), from + " " + to + " 5 300"},
		"in a legacy transaction":  {with(fmt.Sprintf(`"feeCurrency": %q`, from)), typed(0), from + " " + to + " 5 null"},
		"in the receipt":           {whole, typed(2) + fmt.Sprintf(`, "feeCurrency": %q`, from), from + " " + to + " 5 null"},
		"a gateway's fee":          {with(`"gatewayFee": "0x1"`), typed(0), from + " " + to + " 5 null"},
		"no gateway's fee":         {with(`"gatewayFee": "0x0", "feeCurrency": null`), typed(0), from + " " + to + " 5 300"},
		"a token":                  {with(fmt.Sprintf(`"feeToken": %q`, from)), typed(0x76), from + " " + to + " 5 null"},
		"a token's number":         {with(`"feeTokenID": 1`), typed(0x7f), from + " " + to + " 5 null"},
		"no token":                 {with(`"feeTokenID": "0x0", "feeToken": "0x0000000000000000000000000000000000000000"`), typed(2), from + " " + to + " 5 300"},
		"no token, in the receipt": {whole, typed(2) + `, "feeTokenID": "0x0", "feeToken": null`, from + " " + to + " 5 300"},
		"two types":                {with(`"type": "0x3"`), typed(2) + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 300"},
		"gas that has a rate":      {whole, typed(2) + `, "l1Fee": "0x5", "tokenRatio": "0xf0"`, from + " " + to + " 5 null"},
		"a creation":               {strings.Replace(whole, `"`+to+`"`, "null", 1), paid, from + " null 5 300"},
		"a creation without null":  {strings.Replace(whole, fmt.Sprintf(`"to": %q, `, to), "", 1), paid, from + " null 5 300"},
		"the largest value":        {strings.Replace(whole, "0x5", most, 1), paid, from + " " + to + " 115792089237316195423570985008687907853269984665640564039457584007913129639935 300"},
		"a hash":                   {"HASH", paid, ""},
		"another transaction":      {strings.Replace(whole, "HASH", `"0x`+strings.Repeat("08", 32)+`"`, 1), paid, ""},
		"too large a value":        {strings.Replace(whole, "0x5", most+"0", 1), paid, "error"},
		"no sender":                {strings.Replace(whole, `"from"`, `"sender"`, 1), paid, "error no from or value"},
		"no value":                 {strings.Replace(whole, `"value"`, `"amount"`, 1), paid, "error no from or value"},
		"too large a price":        {whole, `, "gasUsed": "0x64", "effectiveGasPrice": "` + most + `0"`, "error effectiveGasPrice"},
		"too large a product":      {whole, `, "gasUsed": "0x64", "effectiveGasPrice": "` + most + `"`, "error receipt: the fee is 2^256 or more"},
		"too large a sum":          {whole, paid + `, "l1Fee": "` + most + `"`, "error receipt: the fee is 2^256 or more"},
		"too many blobs":           {whole, paid + `, "blobGasUsed": "` + most + `", "blobGasPrice": "0x2"`, "error receipt: the fee is 2^256 or more"},
		"no number":                {whole, `, "gasUsed": "0x64", "effectiveGasPrice": {}`, "error effectiveGasPrice"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := detailsOf(t, c.tx, c.receipt)
			if problem, bad := strings.CutPrefix(c.want, "error"); bad {
				if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(problem)) {
					t.Errorf("got %v, %v; want an error with %q", list, err, problem)
				}
				return
			}
			expect.NoError(t, err)
			got := ""
			for _, tx := range list {
				receiver, fee := "null", "null"
				if tx.To != nil {
					receiver = tx.To.String()
				}
				if tx.Fee != nil {
					fee = tx.Fee.String()
				}
				got += fmt.Sprintf("%s %s %s %s", tx.From, receiver, tx.Value, fee)
			}
			expect.Equal(t, "details", c.want, got)
		})
	}
}
