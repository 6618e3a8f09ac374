package evm

// Call is a contract call that changes nothing: eth_call at the latest block.
type Call struct {
	// To is the contract.
	To Address
	// Data is the function's selector and its ABI-encoded arguments.
	Data []byte
}

// CallResult is the result of a [Call].
type CallResult struct {
	// Data is the returned data. It is empty at an address without a contract.
	Data []byte
	// Problem is why the call failed, one line of valid UTF-8 without control
	// characters; empty when it succeeded.
	Problem string
	// Reverted says that the EVM ended the call, as it would on any node. It comes
	// with a Problem.
	Reverted bool
}
