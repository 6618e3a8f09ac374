package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// MaxSize bounds a file, in bytes.
const MaxSize = 1 << 20

// Chains begins the names of the tables [chains.NAME], the only ones with a dot.
const Chains = "chains."

// Table is a table's header.
type Table struct {
	Name string
	// Line is its line number, from 1.
	Line int
}

// Value is a key and its value.
type Value struct {
	// Table is the name of its table, or empty outside tables.
	Table, Key string
	// Texts are the elements of a list, or the single text of a scalar. Integers are in
	// decimal, booleans are true or false.
	Texts  []string
	IsList bool
	// Line is the line number of the key, from 1.
	Line int
}

// Error is an error in a line of the file.
type Error struct {
	Line int
	// Message says what is wrong, and never repeats a value.
	Message string
}

// Error returns the line and the message.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Read returns the tables and values of a file in order. It drops a byte order mark before the
// first line, and white space around values. An error in a line is an [*Error].
func Read(text []byte) (tables []Table, values []Value, err error) {
	if len(text) > MaxSize {
		return nil, nil, fmt.Errorf("want at most %d bytes", MaxSize)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	r := &reader{text: text, line: 1, known: map[string]bool{}, keys: map[[2]string]bool{}}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, nil, &Error{r.line, err.Error()}
		}
	}
	at := new(unstable.ParserError)
	switch err := r.parser.Error(); {
	case errors.As(err, &at):
		r.advance(int(r.parser.Range(at.Highlight).Offset))
		return nil, nil, &Error{r.line, at.Message}
	case err != nil:
		return nil, nil, err
	}
	return r.tables, r.values, nil
}

type reader struct {
	text   []byte
	parser unstable.Parser
	// line is the line of the byte at offset.
	line, offset int
	table        string
	tables       []Table
	values       []Value
	// known and keys are the tables and keys read so far.
	known map[string]bool
	keys  map[[2]string]bool
}

// advance moves to the byte at offset.
func (r *reader) advance(offset int) {
	if offset > r.offset {
		r.line += bytes.Count(r.text[r.offset:offset], []byte("\n"))
		r.offset = offset
	}
}

// expression reads a table header, or a key with its value.
func (r *reader) expression(node *unstable.Node) error {
	var key []string
	for names := node.Key(); names.Next(); {
		if len(key) == 0 {
			r.advance(int(names.Node().Raw.Offset))
		}
		key = append(key, string(names.Node().Data))
	}
	switch {
	case node.Kind == unstable.ArrayTable:
		return fmt.Errorf("[[%s]]: want [%s], a table that occurs once", strings.Join(key, "."), strings.Join(key, "."))
	case node.Kind == unstable.Table && len(key) == 2 && key[0]+"." == Chains:
		return r.header(Chains + key[1])
	case len(key) > 1, node.Kind == unstable.Table && strings.Contains(key[0], "."):
		return fmt.Errorf("%s: want a name without dots, or a table [chains.NAME]", strings.Join(key, "."))
	case node.Kind == unstable.Table:
		return r.header(key[0])
	}
	name := [2]string{r.table, key[0]}
	if r.keys[name] {
		return fmt.Errorf("%s occurs twice: want it once", key[0])
	}
	r.keys[name] = true
	value := Value{Table: r.table, Key: key[0], Line: r.line}
	elements := node.Value()
	if value.IsList = elements.Kind == unstable.Array; value.IsList {
		list := elements.Children()
		for list.Next() {
			if list.Node().Kind == unstable.Comment {
				continue
			}
			text, err := scalar(list.Node())
			if err != nil {
				return fmt.Errorf("%s: %w", value.Key, err)
			}
			value.Texts = append(value.Texts, text)
		}
	} else {
		text, err := scalar(elements)
		if err != nil {
			return fmt.Errorf("%s: %w", value.Key, err)
		}
		value.Texts = []string{text}
	}
	r.values = append(r.values, value)
	return nil
}

// header begins a table.
func (r *reader) header(name string) error {
	if r.table = name; r.known[name] {
		return fmt.Errorf("[%s] occurs twice: want it once", name)
	}
	r.known[name] = true
	r.tables = append(r.tables, Table{name, r.line})
	return nil
}

// scalar returns the text of a string, a number or a boolean.
func scalar(node *unstable.Node) (string, error) {
	text := strings.TrimSpace(string(node.Data))
	switch node.Kind {
	case unstable.String, unstable.Bool, unstable.Float:
		return text, nil
	case unstable.Integer:
		// Go accepts all TOML integers, and also a sign before 0x.
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return "", errors.New("the number is out of range: want a string")
		}
		return strconv.FormatInt(n, 10), nil
	default:
		return "", errors.New("want a string, a number, true or false, or a list of them")
	}
}
