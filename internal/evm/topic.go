package evm

// Topic is the topic 0 of an event: the Keccak-256 hash of its signature. It is
// a string because Go has no constant arrays.
type Topic string

// The decoded events. Several standards may share a signature and differ in the indexed
// arguments.
const (
	// TopicTransfer is Transfer(address,address,uint256): ERC-721, and ERC-20 with
	// one topic fewer.
	TopicTransfer Topic = "\xdd\xf2\x52\xad\x1b\xe2\xc8\x9b\x69\xc2\xb0\x68\xfc\x37\x8d\xaa" +
		"\x95\x2b\xa7\xf1\x63\xc4\xa1\x16\x28\xf5\x5a\x4d\xf5\x23\xb3\xef"
	// TopicTransferSingle is
	// TransferSingle(address,address,address,uint256,uint256): ERC-1155.
	TopicTransferSingle Topic = "\xc3\xd5\x81\x68\xc5\xae\x73\x97\x73\x1d\x06\x3d\x5b\xbf\x3d\x65" +
		"\x78\x54\x42\x73\x43\xf4\xc0\x83\x24\x0f\x7a\xac\xaa\x2d\x0f\x62"
	// TopicTransferBatch is
	// TransferBatch(address,address,address,uint256[],uint256[]): ERC-1155.
	TopicTransferBatch Topic = "\x4a\x39\xdc\x06\xd4\xc0\xdb\xc6\x4b\x70\xaf\x90\xfd\x69\x8a\x23" +
		"\x3a\x51\x8a\xa5\xd0\x7e\x59\x5d\x98\x3b\x8c\x05\x26\xc8\xf7\xfb"
	// TopicConsecutiveTransfer is
	// ConsecutiveTransfer(uint256,uint256,address,address): EIP-2309.
	TopicConsecutiveTransfer Topic = "\xde\xaa\x91\xb6\x12\x3d\x06\x8f\x58\x21\xd0\xfb\x06\x78\x46\x3d" +
		"\x1a\x8a\x60\x79\xfe\x8a\xf5\xde\x3c\xe5\xe8\x96\xdc\xf9\x13\x3d"
	// TopicURI is URI(string,uint256): ERC-1155.
	TopicURI Topic = "\x6b\xb7\xff\x70\x86\x19\xba\x06\x10\xcb\xa2\x95\xa5\x85\x92\xe0" +
		"\x45\x1d\xee\x26\x22\x93\x8c\x87\x55\x66\x76\x88\xda\xf3\x52\x9b"
	// TopicMetadataUpdate is MetadataUpdate(uint256): EIP-4906.
	TopicMetadataUpdate Topic = "\xf8\xe1\xa1\x5a\xba\x93\x98\xe0\x19\xf0\xb4\x9d\xf1\xa4\xfd\xe9" +
		"\x8e\xe1\x7a\xe3\x45\xcb\x5f\x6b\x5e\x2c\x27\xf5\x03\x3e\x8c\xe7"
	// TopicBatchMetadataUpdate is BatchMetadataUpdate(uint256,uint256): EIP-4906.
	TopicBatchMetadataUpdate Topic = "\x6b\xd5\xc9\x50\xa8\xd8\xdf\x17\xf7\x72\xf5\xaf\x37\xcb\x36\x55" +
		"\x73\x78\x99\xcb\xf9\x03\x26\x4b\x97\x95\x59\x2d\xa4\x39\x66\x1c"
	// TopicContractURIUpdated is ContractURIUpdated(): ERC-7572.
	TopicContractURIUpdated Topic = "\xa5\xd4\x09\x7e\xdd\xa6\xd8\x7c\xb9\x32\x9a\xf8\x3f\xb3\x71\x2e" +
		"\xf7\x7e\xeb\x13\x73\x8f\xfe\x43\xcc\x35\xa4\xce\x30\x5a\xd9\x62"
	// TopicContractURIUpdatedTo is ContractURIUpdated(string), with the new URI, and
	// TopicContractURIUpdatedFrom is ContractURIUpdated(string,string), with the former one too:
	// older than ERC-7572, and in most deployed contracts.
	TopicContractURIUpdatedTo Topic = "\x90\x5d\x98\x12\x07\xa7\xd0\xb6\xc6\x2c\xc4\x6a\xb0\xbe\x2a\x07" +
		"\x6d\x02\x98\xe4\xa8\x6d\x0a\xb7\x98\x82\xdb\xd0\x1a\xc3\x73\x78"
	TopicContractURIUpdatedFrom Topic = "\xc9\xc7\xc3\xfe\x08\xb8\x8b\x4d\xf9\xd4\xd4\x7e\xf4\x7d\x2c\x43" +
		"\xd5\x5c\x02\x5a\x0b\xa8\x8c\xa4\x42\x58\x0e\xd9\xe7\x34\x8a\x16"
)

// Hash returns the topic in the form that logs contain.
func (t Topic) Hash() Hash { return Hash([]byte(t)) }

// IsDecoded reports whether a log with these topics may be a decoded event: a Transfer
// event with four topics or one (contracts without indexed arguments), or another decoded
// event with any number of topics. ERC-20 transfers are not decoded.
func IsDecoded(topics []Hash) bool {
	if len(topics) == 0 {
		return false
	}
	switch Topic(topics[0][:]) {
	case TopicTransfer:
		return len(topics) == 4 || len(topics) == 1
	case TopicTransferSingle, TopicTransferBatch, TopicConsecutiveTransfer, TopicURI, TopicMetadataUpdate, TopicBatchMetadataUpdate,
		TopicContractURIUpdated, TopicContractURIUpdatedTo, TopicContractURIUpdatedFrom:
		return true
	default:
		return false
	}
}
