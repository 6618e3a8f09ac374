package evm

// Call is a read-only contract call: eth_call at the latest block.
type Call struct {
	// To is the contract.
	To Address
	// Data is the function's selector and its ABI-encoded arguments.
	Data []byte
	// Limit, unless 0, is the number of bytes of the result to return; the rest is dropped
	// before it is decoded.
	Limit int
}

// CallResult is the result of a [Call].
type CallResult struct {
	// Data is the returned data. It is empty at an address without a contract.
	Data []byte
	// Problem is why the call failed, as one line of valid UTF-8 without control
	// characters. It is empty if the call succeeded.
	Problem string
	// Reverted is set if the EVM ended the call, as it would on any node. Problem is then
	// set as well.
	Reverted bool
}
