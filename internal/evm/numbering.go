package evm

// Numbering is how the nodes of a chain number the logs of a block. Logs are always
// in the order of their transactions, and within a transaction in that of its
// receipt.
type Numbering string

// The ways to number logs.
const (
	// NumberingUnknown says that no block has shown the numbering yet.
	NumberingUnknown Numbering = ""
	// NumberingBlock has log indices that grow through each block: the index of a log
	// is known without the other logs of its block.
	NumberingBlock Numbering = "block"
	// NumberingTransaction has log indices that begin again in each transaction.
	// The index of a log is then its place among all logs of its block.
	NumberingTransaction Numbering = "transaction"
)

// NumberLogs sets the indices of all logs of a block in chain order: the node's
// indices stay if they grow through the block; otherwise each log gets its place. It
// returns the numbering that the block shows, which is unknown unless two of its
// transactions have logs.
func NumberLogs(logs []Log) (shown Numbering) {
	for i := 1; i < len(logs); i++ {
		if logs[i].Index <= logs[i-1].Index {
			for place := range logs {
				logs[place].Index = uint32(place)
			}
			return NumberingTransaction
		}
		if logs[i].TxHash != logs[i-1].TxHash {
			shown = NumberingBlock
		}
	}
	return shown
}
