package hand

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
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

func (s *Server) blockPage(ctx context.Context, v *workload.Variables) (*page, error) {
	return read(ctx, s.byBlock, true, 1, limit, first(v.Block), first(v.Block+1))
}

func (s *Server) rangePage(ctx context.Context, v *workload.Variables) (*page, error) {
	address, err := evm.ParseAddress(v.Address)
	if err != nil {
		return nil, err
	}
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
	return read(ctx, s.byRange, false, number, size, address[:], from, first(v.ToBlock+1))
}

func (s *Server) txPage(ctx context.Context, v *workload.Variables) (*page, error) {
	address, err := evm.ParseAddress(v.TxAddress)
	if err != nil {
		return nil, err
	}
	tx, err := evm.ParseHash(v.Tx)
	if err != nil {
		return nil, err
	}
	return read(ctx, s.byTx, true, 1, limit, tx.Prefix(), tx.Suffix(), address[:])
}

func (s *Server) tokenPage(ctx context.Context, v *workload.Variables) (*page, error) {
	address, err := evm.ParseAddress(v.TokenAddress)
	if err != nil {
		return nil, err
	}
	id, err := evm.ParseUint256(v.TokenID)
	if err != nil {
		return nil, err
	}
	return read(ctx, s.byToken, false, 1, limit, address[:], id.Bytes())
}

// read runs a statement whose last argument is how many rows it gives.
func read(ctx context.Context, statement *sql.Stmt, minted bool, number, size int, args ...any) (p *page, err error) {
	rows, err := statement.QueryContext(ctx, append(args, size+1)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	p = &page{Page: number, Limit: size, Data: make([]Transfer, 0, size)}
	var last int64
	for rows.Next() {
		if len(p.Data) == size {
			cursor := fmt.Sprintf("%d:%d", number, last)
			p.Cursor = &cursor
			break
		}
		var t Transfer
		if last, err = scan(rows, &t, minted); err != nil {
			return nil, err
		}
		p.Data = append(p.Data, t)
	}
	return p, rows.Err()
}

// scan reads one row and returns its position.
func scan(rows *sql.Rows, t *Transfer, minted bool) (pos int64, err error) {
	var txPrefix, accountPrefix, hashPrefix int64
	var contract, txSuffix, accountSuffix, operator, hashSuffix, burnAddress sql.RawBytes
	var id, amount evm.Uint256
	if err := rows.Scan(&pos, &contract, &id, &txPrefix, &txSuffix, &accountPrefix, &accountSuffix, &amount, &t.LogIndex,
		&operator, &hashPrefix, &hashSuffix, &t.Timestamp, &burnAddress); err != nil {
		return 0, err
	}
	t.TokenAddress, t.ContractType, t.TokenID, t.Amount = hexText(contract), "ERC721", id.String(), amount.String()
	t.BlockHash, t.TransactionHash = joined(hashPrefix, hashSuffix), joined(txPrefix, txSuffix)
	t.BlockNumber, t.BlockTime = pos>>30, t.Timestamp
	if operator != nil {
		text := hexText(operator)
		t.ContractType, t.Operator = "ERC1155", &text
	}
	account := joined(accountPrefix, accountSuffix)
	if minted {
		t.From, t.To = zero, account
		return pos, nil
	}
	t.From, t.To = account, zero
	if burnAddress != nil {
		t.To = hexText(burnAddress)
	}
	return pos, nil
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
