package rpcerror

import (
	"encoding/json"
	"strconv"
	"strings"

	"mintburn/internal/chain/wire"
)

// MaxText is the most bytes of an error that are read as text.
const MaxText = 4 << 10

// Object is the error object of a JSON-RPC answer.
type Object struct {
	Code    int
	Message string
	Data    any
}

// Decode parses an error: an object by the standard, or a string as some gateways return. If
// it has another form, the message is its excerpt.
func Decode(raw []byte, excerpt func([]byte) string) *Object {
	said := new(Object)
	fields, err := Fields(raw, "code", "message", "data")
	if err != nil && raw[0] == '"' {
		said.Message = Text(raw)
	} else if err == nil {
		said.Code, _ = strconv.Atoi(strings.Trim(string(fields["code"]), `"`))
		said.Message, said.Data = Text(fields["message"]), Text(fields["data"])
	}
	if said.Code == 0 && said.Message == "" {
		said.Message = "error of unknown form: " + excerpt(raw)
	}
	return said
}

// Read returns the error in an answer, see [Decode], or nil if it contains none.
func Read(answer []byte, excerpt func([]byte) string) *Object {
	fields, err := Fields(answer, "error", "message")
	switch {
	case err == nil && !wire.IsNull(fields["error"]):
		return Decode(fields["error"], excerpt)
	case err == nil && Text(fields["message"]) != "":
		return &Object{Message: Text(fields["message"])}
	default:
		return nil
	}
}

// Fields returns fields of an object as parts of its text. It fails unless text is an
// object.
func Fields(text []byte, names ...string) (map[string][]byte, error) {
	r := wire.NewReader()
	r.AllowInvalidUTF8 = true
	r.Reset(text)
	fields := map[string][]byte{}
	err := r.Object(wire.Fields{Optional: names}, func(name string) (err error) {
		fields[name], err = r.Value()
		return err
	})
	return fields, err
}

// Text returns a string, or the text of another JSON value, cut to [MaxText]. It
// returns "" for null.
func Text(value []byte) (text string) {
	if len(value) > MaxText {
		return strings.Trim(string(value[:MaxText]), `"`)
	}
	if wire.IsNull(value) || json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// Details returns the data of an error as text, empty for hex bytes.
func (e *Object) Details() string {
	text, ok := e.Data.(string)
	switch {
	case e.Data == nil || strings.HasPrefix(text, "0x"):
		return ""
	case ok:
		return text[:min(len(text), MaxText)]
	}
	// Data was decoded from JSON, so it encodes.
	encoded, _ := json.Marshal(e.Data)
	return Text(encoded)
}
