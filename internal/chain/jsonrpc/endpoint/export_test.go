package endpoint

import "encoding/json"

// ReadAnswers reads the answers to count calls.
func ReadAnswers(text []byte, count int) (results []json.RawMessage, errs []error, err error) {
	calls := make([]*Call, count)
	for i := range calls {
		calls[i] = new(Call)
	}
	err = new(Endpoint).readAnswers(text, calls)
	for _, c := range calls {
		results, errs = append(results, c.Result), append(errs, c.Err)
	}
	return results, errs, err
}
