package evm

// Transaction is a transaction of a block, with its details.
type Transaction struct {
	// Hash is the hash of the transaction.
	Hash Hash
	// Index is its index in the block.
	Index uint32
	TransactionDetails
}

// TransactionDetails are the parties, the value and the fee of a transaction.
type TransactionDetails struct {
	// From is the sender.
	From Address
	// To is the receiver, nil for the creation of a contract.
	To *Address
	// Value is the value in wei.
	Value Uint256
	// Fee is the fee in wei, nil if the receipt lacks the price.
	Fee *Uint256
}
