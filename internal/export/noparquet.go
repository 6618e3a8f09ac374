//go:build !parquet

package export

import (
	"errors"
	"io"
)

// HasParquet reports whether this build can write Parquet.
const HasParquet = false

func newParquet[T any](io.Writer, []column[T]) (writer[T], error) {
	return nil, errors.New("this build has no Parquet: build with -tags parquet")
}
