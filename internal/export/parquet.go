//go:build parquet

package export

import (
	"io"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"

	"mintburn/internal/store"
	"mintburn/internal/store/read"
)

// HasParquet reports whether this build can write Parquet.
const HasParquet = true

// A row group ends after groupRows rows or groupBytes bytes of text. Until then it is held in
// memory, compressed.
const (
	groupRows  = 25_000
	groupBytes = 64 << 20
	// dictionaryBytes is the size above which a column's dictionary gets no more values. It
	// is checked after each page, and a page has up to 65,536 values of a dictionary.
	dictionaryBytes = 1 << 20
)

// parquetWriter writes Parquet column by column. The type of Integer columns is INT64, that
// of Attributes a list of [attribute], and that of all others STRING.
type parquetWriter[T any] struct {
	file    *parquet.GenericWriter[any]
	columns []column[T]
	// into has a writer for each column, and for each field of an attribute.
	into []*parquet.ColumnWriter
	// rows and bytes count the rows and text bytes of the current row group.
	rows, bytes int
	// values and texts are reused buffers.
	values []parquet.Value
	texts  []byte
}

// newParquet returns a Parquet writer.
func newParquet[T any](out io.Writer, columns []column[T]) (writer[T], error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(parquet.DefaultPageBufferSize))
	if err != nil {
		return nil, err
	}
	file := parquet.NewGenericWriter[any](out, schemaOf(columns),
		parquet.Compression(&codec{encoder: encoder}),
		parquet.DataPageStatistics(true),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.CreatedBy("mintburn", "", ""),
	)
	return &parquetWriter[T]{file: file, columns: columns, into: file.ColumnWriters()}, nil
}

// codec compresses like its base, with a window of a page. The base's window has 4 MiB, of
// which each of its encoders holds the double.
type codec struct {
	parquetzstd.Codec
	encoder *zstd.Encoder
}

// Encode implements [compress.Codec].
func (c *codec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}

// schemaOf returns a schema with the columns in order. It builds a struct type, because
// only the schema of a struct keeps the order.
func schemaOf[T any](columns []column[T]) *parquet.Schema {
	fields := make([]reflect.StructField, len(columns))
	for i := range columns {
		c := &columns[i]
		f := reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeFor[string]()}
		switch c.Kind {
		case Integer:
			f.Type, f.Tag = reflect.TypeFor[int64](), ",delta"
		case Attributes:
			f.Type, f.Tag = reflect.TypeFor[[]attribute](), ",list"
		case Hex, Name, Decimal:
			// Long texts would make the dictionary as large as the row group.
			f.Tag = ",dict"
		}
		if c.Null {
			f.Tag += ",optional"
		}
		f.Tag = reflect.StructTag(`parquet:"` + c.Name + string(f.Tag) + `"`)
		fields[i] = f
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

// attribute is an attribute in the schema.
type attribute struct {
	TraitType  string   `parquet:"trait_type"`
	Value      string   `parquet:"value"`
	MaxValue   *float64 `parquet:"max_value"`
	TraitCount int64    `parquet:"trait_count"`
	Order      int64    `parquet:"order"`
}

func (w *parquetWriter[T]) write(rows []T) (err error) {
	leaf := 0
	for i := range w.columns {
		if leaf, err = w.column(&w.columns[i], leaf, rows); err != nil {
			return err
		}
	}
	if w.rows += len(rows); w.rows < groupRows && w.bytes < groupBytes {
		return nil
	}
	w.rows, w.bytes = 0, 0
	return w.file.Flush()
}

// column writes the values of a column, from a leaf of the schema on, and returns the next leaf.
func (w *parquetWriter[T]) column(c *column[T], leaf int, rows []T) (next int, err error) {
	if c.Kind == Attributes {
		for i := range attributeFields {
			if err := w.field(c, i, leaf+i, rows); err != nil {
				return 0, err
			}
		}
		return leaf + len(attributeFields), nil
	}
	w.values, w.texts = w.values[:0], w.texts[:0]
	for _, row := range rows {
		v := parquet.Value{}
		if c.Kind == Integer {
			if n, some := c.integer(row); some {
				v = parquet.Int64Value(int64(n))
			}
		} else {
			start, some := len(w.texts), false
			if w.texts, some = c.text(w.texts, row); some {
				v = parquet.ByteArrayValue(w.texts[start:len(w.texts):len(w.texts)])
			}
		}
		defined := 0
		if c.Null && !v.IsNull() {
			defined = 1
		}
		w.values = append(w.values, v.Level(0, defined, leaf))
	}
	return leaf + 1, w.flush(leaf)
}

// attributeFields returns the JSON of each field of an attribute, in the order of the schema, or "" for
// null.
var attributeFields = []func(a *store.Attribute) read.JSON{
	func(a *store.Attribute) read.JSON { return a.TraitType },
	func(a *store.Attribute) read.JSON { return a.Value },
	func(a *store.Attribute) read.JSON {
		if a.MaxValue == nil {
			return ""
		}
		return *a.MaxValue
	},
	func(a *store.Attribute) read.JSON { return a.TraitCount },
	func(a *store.Attribute) read.JSON { return a.Order },
}

// field writes a field of the attributes of rows to a leaf.
func (w *parquetWriter[T]) field(c *column[T], field, leaf int, rows []T) (err error) {
	w.values, w.texts = w.values[:0], w.texts[:0]
	for _, row := range rows {
		list := c.attributes(row)
		if len(list) == 0 {
			w.values = append(w.values, parquet.Value{}.Level(0, 0, leaf))
		}
		for i := range list {
			text, v, defined := attributeFields[field](&list[i]), parquet.Value{}, 1
			switch field {
			case 0, 1:
				start := len(w.texts)
				if w.texts, err = jsontext.AppendUnquote(w.texts, text); err != nil {
					return err
				}
				v = parquet.ByteArrayValue(w.texts[start:len(w.texts):len(w.texts)])
			case 2:
				// A number beyond the range of a double is null.
				if n, err := strconv.ParseFloat(string(text), 64); err == nil {
					v, defined = parquet.DoubleValue(n), 2
				}
			default:
				n, err := strconv.ParseInt(string(text), 10, 64)
				if err != nil {
					return err
				}
				v = parquet.Int64Value(n)
			}
			w.values = append(w.values, v.Level(min(i, 1), defined, leaf))
		}
	}
	return w.flush(leaf)
}

// flush writes the values to a leaf.
func (w *parquetWriter[T]) flush(leaf int) error {
	w.bytes += len(w.texts)
	_, err := w.into[leaf].WriteRowValues(w.values)
	return err
}

func (w *parquetWriter[T]) end(cursor *string) error {
	if cursor != nil {
		w.file.SetKeyValueMetadata("mintburn.cursor", *cursor)
	}
	return w.file.Close()
}
