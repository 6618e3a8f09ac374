package metadata

import (
	"context"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Caller calls contracts.
type Caller interface {
	// Call returns a result for each call, in order. After an error the results are
	// unknown, and the same calls may be repeated.
	Call(ctx context.Context, calls []evm.Call) ([]evm.CallResult, error)
}

// answer is a contract's answer for a token or a collection: a URI, or a failure.
type answer struct {
	task    nft.Task
	uri     string
	failure *Failure
	// collection is the result for a collection, which may have no URI. It is nil for a token.
	collection *nft.CollectionResult
	// standard is the standard of the function that returned the URI.
	standard nft.ContractType
}

// ask calls the contracts of tasks for URIs. It calls tokenURI or uri depending on
// the task's type and, if that reverts or returns no data, the other function.
func ask(ctx context.Context, caller Caller, tasks []nft.Task) ([]answer, error) {
	answers := make([]answer, len(tasks))
	for i, task := range tasks {
		answers[i] = answer{task: task, standard: task.Type}
	}
	absent, err := askAll(ctx, caller, answers)
	if err != nil {
		return nil, err
	}
	again := make([]answer, len(absent))
	for i, first := range absent {
		again[i] = answer{task: tasks[first], standard: nft.ERC1155}
		if tasks[first].Type == nft.ERC1155 {
			again[i].standard = nft.ERC721
		}
	}
	if _, err := askAll(ctx, caller, again); err != nil {
		return nil, err
	}
	for i, first := range absent {
		// If both calls fail, report the failure of the function that fits the type.
		if again[i].failure == nil {
			answers[first] = again[i]
		}
	}
	return answers, nil
}

// askAll fills answers. It returns the indexes of answers whose contract does not seem
// to have the function.
func askAll(ctx context.Context, caller Caller, answers []answer) (absent []int, err error) {
	if len(answers) == 0 {
		return nil, nil
	}
	calls := make([]evm.Call, len(answers))
	for i, a := range answers {
		calls[i] = a.function().call(a.task.Contract, a.task.TokenID)
	}
	results, err := caller.Call(ctx, calls)
	if err != nil {
		return nil, err
	}
	if len(results) != len(calls) {
		return nil, fmt.Errorf("got %d results for %d calls", len(results), len(calls))
	}
	for i, result := range results {
		answers[i].decode(answers[i].function().name, result)
		if result.Reverted || result.Problem == "" && len(result.Data) == 0 {
			absent = append(absent, i)
		}
	}
	return absent, nil
}

func (a *answer) function() function {
	if a.standard == nft.ERC1155 {
		return uri1155
	}
	return tokenURI
}

// decode sets the URI or the failure from the result of a call of a function.
func (a *answer) decode(name string, result evm.CallResult) {
	if result.Problem != "" {
		a.failure = permanent("%s: %s", name, result.Problem)
		a.failure.Temporary = !result.Reverted
		return
	}
	uri, err := DecodeURI(result.Data)
	switch {
	case err != nil:
		a.failure = permanent("%s: %v", name, err)
	case len(uri) > maxDataURI:
		// Do not store the URI: every token of the collection may have one this long.
		a.failure = permanent("%s: the URI is longer than %d bytes", name, maxDataURI)
	case uri == "":
		a.failure = permanent("%s: the URI is empty", name)
	default:
		a.uri = uri
	}
}
