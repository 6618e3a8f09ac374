package chaintest

import (
	"encoding/json"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// logFilter is a parsed log filter. Empty lists match everything.
type logFilter struct {
	addresses []common.Address
	topics    [][]common.Hash
	more      bool
}

func parseFilter(params logParams, more bool) logFilter {
	f := logFilter{addresses: oneOrMore[common.Address](params.Address), more: more}
	for _, topic := range params.Topics {
		f.topics = append(f.topics, oneOrMore[common.Hash](topic))
	}
	return f
}

// oneOrMore reads null, one value or a list.
func oneOrMore[T any](text json.RawMessage) (list []T) {
	var one T
	switch {
	case len(text) == 0 || string(text) == "null":
	case text[0] == '[':
		if err := json.Unmarshal(text, &list); err != nil {
			panic(err)
		}
	default:
		if err := json.Unmarshal(text, &one); err != nil {
			panic(err)
		}
		list = []T{one}
	}
	return list
}

// add appends the matching logs of a block to list.
func (f *logFilter) add(list []json.RawMessage, b *nodeBlock) []json.RawMessage {
	for i, log := range b.logs {
		if f.matches(log) {
			list = append(list, b.texts().logs[i])
		}
	}
	return list
}

func (f *logFilter) matches(log *types.Log) bool {
	if len(f.addresses) > 0 && !slices.Contains(f.addresses, log.Address) {
		return false
	}
	if len(f.topics) > len(log.Topics) && !f.more {
		return false
	}
	for i, allowed := range f.topics {
		if len(allowed) > 0 && (i >= len(log.Topics) || !slices.Contains(allowed, log.Topics[i])) {
			return false
		}
	}
	return true
}
