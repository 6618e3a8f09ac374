package endpoint

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
)

var (
	// errNoResult is an answer with neither a result nor an error.
	errNoResult = errors.New("the answer has no result")
	// errStray is a message over a WebSocket that answers none of the calls.
	errStray = errors.New("no answer to these calls")
	// errUnnamed is an error over a WebSocket with the id null, for a single call.
	errUnnamed = errors.New("an error without an id")
)

// readAnswers sets the result or err of each call. It fails if the answer cannot be
// parsed, is a single error for the whole batch, or answers none of its calls.
func (e *Endpoint) readAnswers(text []byte, calls []*Call) error {
	r := wire.NewReader()
	r.AllowInvalidUTF8 = true
	r.Reset(text)
	var err error
	named := false
	read := func(int) error {
		found, err := e.readAnswer(r, calls)
		named = named || found
		return err
	}
	batch, overSocket := len(calls) > 1, calls[0].id > 0
	object := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
	switch {
	case object && overSocket, !batch && !overSocket:
		err = read(0)
	case !object:
		err = r.Array("answer", read)
	}
	answered := func(c *Call) bool { return c.Result != nil || c.Err != nil }
	switch {
	case err != nil:
		return err
	case overSocket && !named:
		return errStray
	case batch && object:
		said := rpcerror.Read(text, e.Secrets.Excerpt)
		if said == nil {
			said = &rpcerror.Object{Message: "got one object for a batch: " + e.Secrets.Excerpt(text)}
		}
		failed := e.answerError(calls, said, true)
		failed.Info.Whole = failed.Info.Kind == rpcerror.Temporary
		return failed
	case batch && !slices.ContainsFunc(calls, answered):
		return errors.New("the answer has none of the batch's results")
	}
	for _, c := range calls {
		if !answered(c) {
			c.Err = e.transportError([]*Call{c}, errNoResult)
		}
	}
	return nil
}

// readAnswer reads one answer into the call with its id, and reports whether there is one.
func (e *Endpoint) readAnswer(r *wire.Reader, calls []*Call) (found bool, err error) {
	var id, result, failed, method []byte
	err = r.Object(wire.Fields{Optional: []string{"id", "result", "error", "method"}}, func(name string) error {
		raw, err := r.Value()
		switch name {
		case "id":
			id = raw
		case "result":
			result = raw
		case "error":
			failed = raw
		default:
			method = raw
		}
		return err
	})
	if err != nil {
		return false, err
	}
	overSocket := calls[0].id > 0
	unnamed := overSocket && method == nil && string(id) == "null" && !wire.IsNull(failed)
	i := readID(id) - max(calls[0].id, 1)
	switch {
	case unnamed && len(calls) > 1:
		return false, e.answerError(calls, rpcerror.Decode(failed, e.Secrets.Excerpt), true)
	case unnamed, len(calls) == 1 && !overSocket:
		// Over HTTP the id is ignored, because some servers return a different one.
		i = 0
	case overSocket && method != nil, i < 0, i >= int64(len(calls)):
		return false, nil
	}
	c := calls[i]
	c.Result = result
	if !wire.IsNull(failed) {
		c.Err = e.answerError([]*Call{c}, rpcerror.Decode(failed, e.Secrets.Excerpt), false)
	}
	if unnamed {
		return true, errUnnamed
	}
	return true, nil
}

// readID returns the number in the id of an answer, or 0. Some servers return it as a
// string, in hexadecimal or with a fraction of zero.
func readID(raw []byte) int64 {
	text := strings.Trim(string(raw), `"`)
	if id, err := strconv.ParseInt(text, 0, 64); err == nil {
		return id
	}
	if id, err := strconv.ParseFloat(text, 64); err == nil && id == math.Trunc(id) {
		return int64(id)
	}
	return 0
}
