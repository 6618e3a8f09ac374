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
	for name, c := range map[string]struct{ tx, receipt, want string }{
		"gas":                     {whole, paid, from + " " + to + " 5 300"},
		"blobs":                   {whole, paid + `, "blobGasUsed": "0x20000", "blobGasPrice": "0x2"`, from + " " + to + " 5 262444"},
		"a blob price alone":      {whole, paid + `, "blobGasPrice": "0x2"`, from + " " + to + " 5 300"},
		"the layer below":         {whole, paid + `, "l1Fee": "0x7"`, from + " " + to + " 5 307"},
		"no fee of the layer":     {whole, paid + `, "l1Fee": null`, from + " " + to + " 5 300"},
		"no price":                {whole, `, "gasUsed": "0x64"`, from + " " + to + " 5 null"},
		"a null price":            {whole, `, "gasUsed": "0x64", "effectiveGasPrice": null`, from + " " + to + " 5 null"},
		"no gas":                  {whole, `, "effectiveGasPrice": "0x3"`, from + " " + to + " 5 null"},
		"no blob price":           {whole, paid + `, "blobGasUsed": "0x20000"`, from + " " + to + " 5 null"},
		"a creation":              {strings.Replace(whole, `"`+to+`"`, "null", 1), paid, from + " null 5 300"},
		"a creation without null": {strings.Replace(whole, fmt.Sprintf(`"to": %q, `, to), "", 1), paid, from + " null 5 300"},
		"the largest value":       {strings.Replace(whole, "0x5", most, 1), paid, from + " " + to + " 115792089237316195423570985008687907853269984665640564039457584007913129639935 300"},
		"a hash":                  {"HASH", paid, ""},
		"another transaction":     {strings.Replace(whole, "HASH", `"0x`+strings.Repeat("08", 32)+`"`, 1), paid, ""},
		"too large a value":       {strings.Replace(whole, "0x5", most+"0", 1), paid, "error"},
		"no sender":               {strings.Replace(whole, `"from"`, `"sender"`, 1), paid, "error no from or value"},
		"no value":                {strings.Replace(whole, `"value"`, `"amount"`, 1), paid, "error no from or value"},
		"too large a price":       {whole, `, "gasUsed": "0x64", "effectiveGasPrice": "` + most + `0"`, "error effectiveGasPrice"},
		"too large a product":     {whole, `, "gasUsed": "0x64", "effectiveGasPrice": "` + most + `"`, "error receipt: the fee is 2^256 or more"},
		"too large a sum":         {whole, paid + `, "l1Fee": "` + most + `"`, "error receipt: the fee is 2^256 or more"},
		"too many blobs":          {whole, paid + `, "blobGasUsed": "` + most + `", "blobGasPrice": "0x2"`, "error receipt: the fee is 2^256 or more"},
		"no number":               {whole, `, "gasUsed": "0x64", "effectiveGasPrice": {}`, "error effectiveGasPrice"},
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
