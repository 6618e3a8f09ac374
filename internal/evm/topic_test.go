package evm_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"mintburn/internal/evm"
)

func TestTopics(t *testing.T) {
	for signature, got := range map[string]evm.Topic{
		"Transfer(address,address,uint256)":                          evm.TopicTransfer,
		"TransferSingle(address,address,address,uint256,uint256)":    evm.TopicTransferSingle,
		"TransferBatch(address,address,address,uint256[],uint256[])": evm.TopicTransferBatch,
		"ConsecutiveTransfer(uint256,uint256,address,address)":       evm.TopicConsecutiveTransfer,
		"URI(string,uint256)":                                        evm.TopicURI,
		"MetadataUpdate(uint256)":                                    evm.TopicMetadataUpdate,
		"BatchMetadataUpdate(uint256,uint256)":                       evm.TopicBatchMetadataUpdate,
		"ContractURIUpdated()":                                       evm.TopicContractURIUpdated,
		"ContractURIUpdated(string)":                                 evm.TopicContractURIUpdatedTo,
		"ContractURIUpdated(string,string)":                          evm.TopicContractURIUpdatedFrom,
	} {
		if want := evm.Hash(crypto.Keccak256Hash([]byte(signature))); got.Hash() != want {
			t.Errorf("%s: got %s, want %s", signature, got.Hash(), want)
		}
	}
}
