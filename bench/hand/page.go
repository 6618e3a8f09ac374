package hand

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"mintburn/bench/workload"
	"mintburn/internal/evm"
)

const (
	columns = "SELECT t.id, c.address, t.token_id, t.tx_prefix, t.tx_suffix, t.account_prefix, t.account_suffix, t.amount, t.log_index, " +
		"t.operator, b.hash_prefix, b.hash_suffix, b.time"
	fromMints = columns + ", NULL FROM mints t "
	fromBurns = columns + ", t.burn_address FROM burns t "
	joins     = " CROSS JOIN contracts c ON c.id = t.contract_id CROSS JOIN blocks b ON b.id = t.id >> 30 "
	collected = "WHERE t.contract_id = (SELECT id FROM contracts WHERE address = ?) AND "

	limit = 20
	zero  = "0x0000000000000000000000000000000000000000"
)

// rangePage reads a page of burns: the first, or the one after a cursor.
func (s *Server) rangePage(ctx context.Context, v *workload.Variables) (p *page, err error) {
	number, size, from := 1, limit, first(v.FromBlock)
	if v.First > 0 {
		size = v.First
	}
	if v.After != "" {
		page, pos, _ := strings.Cut(v.After, ":")
		if number, err = strconv.Atoi(page); err != nil {
			return nil, err
		}
		if from, err = strconv.ParseInt(pos, 10, 64); err != nil {
			return nil, err
		}
		number, from = number+1, from+1
	}
	return s.page(ctx, "range", false, number, size, v.Address[:], from, first(v.ToBlock+1))
}

// page runs a statement whose last argument is its limit of rows.
func (s *Server) page(ctx context.Context, name string, minted bool, number, size int, args ...any) (*page, error) {
	p := &page{Page: number, Limit: size, Data: make([]Transfer, 0, size)}
	for rows, err := range workload.Each(s.prepared[name].QueryContext(ctx, append(args, size+1)...)) { //nolint:rowserrcheck // Each does.
		if err == nil && len(p.Data) == size {
			cursor := fmt.Sprintf("%d:%d", number, p.Data[size-1].Position)
			p.Cursor = &cursor
			break
		}
		var t Transfer
		if err == nil {
			err = t.scan(rows, minted)
		}
		if err != nil {
			return nil, err
		}
		p.Data = append(p.Data, t)
	}
	return p, nil
}

// scan reads one row.
func (t *Transfer) scan(rows *sql.Rows, minted bool) error {
	var txPrefix, accountPrefix, hashPrefix int64
	var contract, txSuffix, accountSuffix, operator, hashSuffix, burnAddress sql.RawBytes
	var id, amount evm.Uint256
	if err := rows.Scan(&t.Position, &contract, &id, &txPrefix, &txSuffix, &accountPrefix, &accountSuffix, &amount, &t.LogIndex,
		&operator, &hashPrefix, &hashSuffix, &t.Timestamp, &burnAddress); err != nil {
		return err
	}
	t.TokenAddress, t.ContractType, t.TokenID, t.Amount = hexText(contract), "ERC721", id.String(), amount.String()
	t.BlockHash, t.TransactionHash = joined(hashPrefix, hashSuffix), joined(txPrefix, txSuffix)
	t.BlockNumber, t.BlockTime = t.Position>>30, t.Timestamp
	if operator != nil {
		text := hexText(operator)
		t.ContractType, t.Operator = "ERC1155", &text
	}
	account := joined(accountPrefix, accountSuffix)
	if minted {
		t.From, t.To = zero, account
		return nil
	}
	t.From, t.To = account, zero
	if burnAddress != nil {
		t.To = hexText(burnAddress)
	}
	return nil
}

func hexText(b []byte) string {
	text := make([]byte, 2, 2+2*32)
	copy(text, "0x")
	return string(hex.AppendEncode(text, b))
}

func joined(prefix int64, suffix []byte) string {
	var b [32]byte
	binary.BigEndian.PutUint64(b[:], uint64(prefix))
	return hexText(b[:8+copy(b[8:], suffix)])
}
