package evm

// Call is a question to a contract that changes nothing: eth_call at the
// latest block.
type Call struct {
	// To is the contract.
	To Address
	// Data is the function's selector and its ABI-encoded arguments.
	Data []byte
}

// CallResult is what came of a [Call].
type CallResult struct {
	// Data is what the contract returned. It may be empty, as it is where no
	// contract is.
	Data []byte
	// Problem is why nothing was returned, one line of valid UTF-8 without
	// control characters; empty when something was.
	Problem string
	// Reverted says that the contract itself refused, or failed, which another
	// node would say, too. It comes with a Problem.
	Reverted bool
}
