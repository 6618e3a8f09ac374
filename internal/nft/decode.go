package nft

import (
	"cmp"
	"fmt"
	"slices"

	"mintburn/internal/evm"
)

// MaxBlockRecords is the maximum number of records of one [Kind] in a block,
// 2^30-1, because a record's index in its block is stored in 30 bits.
const MaxBlockRecords = 1<<30 - 1

// Decoder decodes logs to records. The zero value decodes by the standards alone. A
// Decoder is safe for concurrent use as long as its fields do not change.
type Decoder struct {
	// BurnAddresses holds the addresses, besides the zero address, to which a
	// transfer is a burn. A transfer from them is never a mint.
	BurnAddresses map[evm.Address]bool
	// Unindexed holds contracts older than ERC-721 (CryptoKitties) whose
	// Transfer(address,address,uint256) has no indexed arguments but one topic and
	// three words of data. Their other logs are decoded as usual.
	Unindexed map[evm.Address]bool
	// Contracts holds the collections whose logs are decoded. Empty means all.
	Contracts map[evm.Address]bool
	// RangeCap is the maximum number of ids in a ConsecutiveTransfer. A mint or burn of
	// more is rejected, and so is one that would raise the total of its block above a
	// hundred times RangeCap. 0 means DefaultRangeCap.
	RangeCap uint64
}

// Decode returns the mints and burns of one block in chain order (log index,
// then sub index), the rejected logs, and the metadata-update events. See
// docs/data.md#mints-and-burns.
//
// An invalid event of ERC-721, ERC-1155 or EIP-2309 is rejected, whatever its addresses
// are. A valid one is
//
//   - neither mint nor burn if from equals to;
//   - a mint if from is the zero address, even if to is a burn address;
//   - a burn if to is the zero address or one of BurnAddresses, even if from is a burn
//     address. The record's To is the address in the log.
//
// All other logs are ignored, except metadata-update events. Logs may be in any
// order. Removed and Pending logs are skipped. The returned Rejected share Topics and
// Data with logs. Decode does not change logs.
//
// Memory is bounded by the data of the logs, and by a hundred times RangeCap for all
// ConsecutiveTransfers. Decode returns an error only if the logs cannot be those of one
// block: if two have the same index, or there are more than MaxBlockRecords records of a
// kind.
func (d *Decoder) Decode(header evm.Header, logs []evm.Log) (Block, error) {
	block, left := Block{Header: header}, d.blockCap()
	ordered, err := chainOrder(logs)
	if err != nil {
		return Block{}, fmt.Errorf("decoding block %d: %w", header.Number, err)
	}
	for i := range ordered {
		log := &ordered[i]
		t, known, reason := d.parse(log)
		switch {
		case reason != "":
			block.Rejected = append(block.Rejected, Rejected{Log: *log, Reason: reason})
		case known:
			if err := d.add(&block, log, &t, &left); err != nil {
				return Block{}, fmt.Errorf("decoding block %d: log %d: %w", header.Number, log.Index, err)
			}
		default:
			if r, ok := d.parseRefresh(log); ok {
				block.Refreshes = append(block.Refreshes, r)
			}
		}
	}
	return block, nil
}

// DecodeBlock is [Decoder.Decode] for a block, with those of its transactions that have records.
func (d *Decoder) DecodeBlock(b evm.Block) (Block, error) {
	block, err := d.Decode(b.Header, b.Logs)
	if len(b.Transactions) > 0 {
		recorded := block.TxHashes()
		block.Transactions = slices.DeleteFunc(slices.Clone(b.Transactions), func(tx evm.Transaction) bool { return !recorded[tx.Hash] })
	}
	return block, err
}

// reads reports whether a log has topics and belongs to one of d's collections.
func (d *Decoder) reads(log *evm.Log) bool {
	return len(log.Topics) > 0 && (len(d.Contracts) == 0 || d.Contracts[log.Address])
}

// parse parses a transfer event. known is false if the log is not a standard transfer
// event. reason is not empty if the event is invalid.
func (d *Decoder) parse(log *evm.Log) (t transfer, known bool, reason string) {
	if !d.reads(log) {
		return t, false, ""
	}
	switch evm.Topic(log.Topics[0][:]) {
	case evm.TopicTransfer:
		return d.parseTransfer(log)
	case evm.TopicTransferSingle:
		t, reason = parseTransferSingle(log)
	case evm.TopicTransferBatch:
		t, reason = parseTransferBatch(log)
	case evm.TopicConsecutiveTransfer:
		t, reason = parseConsecutiveTransfer(log)
	default:
		return t, false, ""
	}
	return t, true, reason
}

// add adds the records of t to block, or rejects the log if t exceeds a cap. left is how
// many more ids the block's ranges may have.
func (d *Decoder) add(block *Block, log *evm.Log, t *transfer, left *uint64) error {
	kind, ok := d.kind(t)
	if !ok {
		return nil
	}
	n, reason := d.spend(t, left)
	if reason != "" {
		block.Rejected = append(block.Rejected, Rejected{Log: *log, Reason: reason})
		return nil
	}
	records := &block.Mints
	if kind == Burn {
		records = &block.Burns
	}
	if n > MaxBlockRecords-uint64(len(*records)) {
		return fmt.Errorf("more than %d %ss in one block", MaxBlockRecords, kind)
	}
	*records = t.appendRecords(*records, Record{
		Kind:     kind,
		Contract: log.Address,
		Type:     t.contractType,
		From:     t.from,
		To:       t.to,
		Operator: t.operator,
		TxHash:   log.TxHash,
		TxIndex:  log.TxIndex,
		LogIndex: log.Index,
	}, n)
	return nil
}

// kind returns whether t is a mint or a burn. ok is false if it is neither.
func (d *Decoder) kind(t *transfer) (kind Kind, ok bool) {
	switch {
	case t.from == t.to:
		return 0, false
	case t.from.IsZero():
		return Mint, true
	case t.to.IsZero() || d.BurnAddresses[t.to]:
		return Burn, true
	default:
		return 0, false
	}
}

// chainOrder returns the logs that are part of the block, sorted by index. It returns
// logs itself if it already has this form, as it usually does. It fails if two logs have
// the same index.
func chainOrder(logs []evm.Log) ([]evm.Log, error) {
	if isChainOrder(logs) {
		return logs, nil
	}
	ordered := slices.DeleteFunc(slices.Clone(logs), func(log evm.Log) bool { return log.Removed || log.Pending })
	slices.SortFunc(ordered, func(a, b evm.Log) int { return cmp.Compare(a.Index, b.Index) })
	for i := 1; i < len(ordered); i++ {
		if ordered[i-1].Index == ordered[i].Index {
			return nil, fmt.Errorf("two logs with index %d", ordered[i].Index)
		}
	}
	return ordered, nil
}

// isChainOrder reports whether every log is part of the block and has a higher
// index than the one before it.
func isChainOrder(logs []evm.Log) bool {
	for i := range logs {
		if logs[i].Removed || logs[i].Pending || (i > 0 && logs[i].Index <= logs[i-1].Index) {
			return false
		}
	}
	return true
}
