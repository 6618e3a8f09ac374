package evm

// Numbering is how the nodes of a chain number the logs of a block. Logs are always
// ordered by transaction, and within a transaction as in its receipt.
type Numbering string

// The ways to number logs.
const (
	// NumberingUnknown means that no block has shown the numbering yet.
	NumberingUnknown Numbering = ""
	// NumberingBlock means that log indexes increase through each block. The index of a log
	// is then known without the other logs of its block.
	NumberingBlock Numbering = "block"
	// NumberingTransaction means that log indexes restart in each transaction.
	// The index of a log is then its position among all logs of its block.
	NumberingTransaction Numbering = "transaction"
)

// NumberLogs sets the indexes of all logs of a block, which must be in chain order. It
// keeps the node's indexes if they increase through the block, and otherwise numbers the
// logs from 0. It returns the numbering that the block shows, which is unknown if only one
// transaction has logs.
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
