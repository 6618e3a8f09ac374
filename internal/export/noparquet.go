//go:build !parquet

package export

import (
	"errors"
	"io"
)

// HasParquet says whether the program can write Parquet.
const HasParquet = false

func newParquet[T any](io.Writer, []column[T]) (writer[T], error) {
	return nil, errors.New("this build has no Parquet: build with -tags parquet")
}
