package recording_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"mintburn/internal/chain/recording"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// readAll returns the numbers of the blocks up to the first error, and the error.
func readAll(r *recording.Recording) (numbers []uint64, err error) {
	for item, err := range r.Items(context.Background()) {
		if err != nil {
			return numbers, err
		}
		numbers = append(numbers, item.Block.Header.Number)
	}
	return numbers, nil
}

// blockLine returns a small valid line of block n.
func blockLine(n int) string {
	return fmt.Sprintf(`{"number":%d,"hash":"0x%064x","parentHash":"0x%064x","timestamp":%d,"logs":[]}`, n, n+1, n, n)
}

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	expect.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func open(t testing.TB, stdin io.Reader, paths ...string) *recording.Recording {
	t.Helper()
	r, err := recording.Open(paths, stdin)
	expect.NoError(t, err)
	return r
}

func gzipped(data string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, data)
	z.Close()
	return b.Bytes()
}

func zstandard(data string) []byte {
	z, _ := zstd.NewWriter(nil)
	return z.EncodeAll([]byte(data), nil)
}

func TestItems_Formats(t *testing.T) {
	one, two := blockLine(1), blockLine(2)
	for name, data := range map[string][]byte{
		"plain":                   []byte(one + "\n" + two + "\n"),
		"no end of the last line": []byte(one + "\n" + two),
		"carriage returns":        []byte(one + "\r\n" + two + "\r\n"),
		"blank lines":             []byte("\n \t\n" + one + "\n\r\n\n" + two + "\n\n"),
		"byte order mark":         []byte("\ufeff" + one + "\n" + two + "\n"),
		"gzip":                    gzipped(one + "\n" + two + "\n"),
		"gzip padded with zeros":  append(gzipped(one+"\n"+two+"\n"), make([]byte, 10_240)...),
		"gzip of two members":     append(gzipped(one+"\n"+two[:9]), gzipped(two[9:])...),
		"zstd":                    zstandard(one + "\n" + two + "\n"),
		"zstd of two frames":      append(zstandard(one+"\n"+two[:9]), zstandard(two[9:])...),
		"zstd, skippable frame":   append([]byte("\x5a\x2a\x4d\x18\x02\x00\x00\x00ab"), zstandard(one+"\n"+two)...),
	} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []string{"-", writeFile(t, "recording.txt", data)} {
				got, err := readAll(open(t, bytes.NewReader(data), from))
				expect.NoError(t, err)
				expect.Equal(t, fmt.Sprintf("blocks from %s", from), []uint64{1, 2}, got)
			}
		})
	}
}

func TestItems_SeveralFilesInOrder(t *testing.T) {
	var paths, want, got []string
	for f := range 3 {
		var lines strings.Builder
		paths = append(paths, writeFile(t, "f", nil))
		for n := range 3000 {
			fmt.Fprintf(&lines, "%s\n\n", blockLine(f*3000+n))
			want = append(want, fmt.Sprintf("%s:%d %d", paths[f], 2*n+1, f*3000+n))
		}
		expect.NoError(t, os.WriteFile(paths[f], []byte(lines.String()), 0o600))
	}
	r := open(t, nil, paths...)
	for item, err := range r.Items(context.Background()) {
		expect.NoError(t, err)
		got = append(got, fmt.Sprintf("%s:%d %d", item.File, item.Line, item.Block.Header.Number))
	}
	expect.Equal(t, "items", want, got)
	if read, size := r.Progress(); read != size || size == 0 {
		t.Errorf("progress at the end: %d of %d", read, size)
	}
}

func TestItems_YieldsLinesBeforeABadLine(t *testing.T) {
	var lines strings.Builder
	var want []uint64
	for n := range 5000 {
		lines.WriteString(blockLine(n) + "\n")
		want = append(want, uint64(n))
	}
	path := writeFile(t, "recording", []byte(lines.String()+"{\n"+blockLine(6000)+"\n"))
	got, err := readAll(open(t, nil, path))
	if wantErr := path + ":5001: invalid JSON: the line ends within a value"; err == nil || err.Error() != wantErr {
		t.Errorf("error %v, want %s", err, wantErr)
	}
	expect.Equal(t, "blocks before the bad line", want, got)
}

func TestItems_TruncatedCompression(t *testing.T) {
	lines := blockLine(1) + "\n" + blockLine(2) + "\n"
	for name, data := range map[string][]byte{"gzip": gzipped(lines), "zstd": zstandard(lines)} {
		t.Run(name, func(t *testing.T) {
			for n := 1; n < len(data); n++ {
				_, err := readAll(open(t, bytes.NewReader(data[:n]), "-"))
				if err == nil || !strings.HasPrefix(err.Error(), "stdin:") {
					t.Fatalf("first %d of %d bytes: error %v, want one that begins with stdin:", n, len(data), err)
				}
				if n >= 4 && !strings.Contains(err.Error(), name+" data is truncated") {
					t.Fatalf("first %d of %d bytes: error %v, want one that says truncated", n, len(data), err)
				}
			}
		})
	}
	t.Run("complete lines before the end are yielded", func(t *testing.T) {
		var lines strings.Builder
		for n := range 20_000 {
			lines.WriteString(blockLine(n) + "\n")
		}
		data := gzipped(lines.String())
		got, err := readAll(open(t, bytes.NewReader(data[:len(data)/2]), "-"))
		if len(got) < 1000 || err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("stdin:%d: ", len(got)+1)) {
			t.Errorf("%d blocks, then error %v; want many and the next line's number", len(got), err)
		}
	})
	t.Run("damaged", func(t *testing.T) {
		data := gzipped(lines)
		data[len(data)-8] ^= 1 // in the checksum
		if _, err := readAll(open(t, bytes.NewReader(data), "-")); !errors.Is(err, gzip.ErrChecksum) {
			t.Errorf("error %v, want %v", err, gzip.ErrChecksum)
		}
	})
}

// TestItems_UTF16 checks that a recording in UTF-16 is named as such.
func TestItems_UTF16(t *testing.T) {
	wide := func(text string, order binary.AppendByteOrder) (b []byte) {
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return b
	}
	for _, text := range []string{"\ufeff" + blockLine(1), blockLine(1), "\ufeff" + strings.Repeat(blockLine(1)+"\r\n", 50), "\ufeff"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			data := wide(text, order)
			for _, data := range [][]byte{data, gzipped(string(data))} {
				if _, err := readAll(open(t, bytes.NewReader(data), "-")); err == nil || err.Error() != "stdin:1: got UTF-16, want UTF-8" {
					t.Errorf("%.20q: got %v", data, err)
				}
			}
		}
	}
	if got, err := readAll(open(t, strings.NewReader("\ufeff"+blockLine(1)), "-")); err != nil || len(got) != 1 {
		t.Errorf("UTF-8 with a byte order mark: got %d blocks, %v", len(got), err)
	}
}

func TestItems_LongLines(t *testing.T) {
	line := blockLine(1)
	for name, c := range map[string]struct {
		text string
		want string // part of the error, empty for none
	}{
		"as long as allowed":              {line + "\n" + line + "\n", ""},
		"as long as allowed, no end":      {line + "\n" + line, ""},
		"one byte more":                   {line + "\n" + line + " \n", "stdin:2: the line is longer than"},
		"one byte more, no end":           {line + "\n" + line + " ", "stdin:2: the line is longer than"},
		"one byte more on the first line": {line + " \n", "stdin:1: the line is longer than"},
		"far longer than one read":        {"\n\n" + strings.Repeat(" ", 1<<20), "stdin:3: the line is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, strings.NewReader(c.text), "-")
			r.SetMaxLine(len(line))
			if _, err := readAll(r); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("longer than a chunk", func(t *testing.T) {
		space := strings.Repeat(" ", 3<<20)
		got, err := readAll(open(t, strings.NewReader(blockLine(1)+space+"\n"+space+blockLine(2)+"\n"+blockLine(3)), "-"))
		if diff := cmp.Diff([]uint64{1, 2, 3}, got); diff != "" || err != nil {
			t.Errorf("error %v, blocks (-want +got):\n%s", err, diff)
		}
	})
}

func TestItems_ReadAheadIsBounded(t *testing.T) {
	line := blockLine(1) + strings.Repeat(" ", 50_000) + "\n"
	const lines = 2000
	r := open(t, io.LimitReader(&repeat{text: line}, int64(lines*len(line))), "-")
	var taken int64
	for _, err := range r.Items(context.Background()) {
		expect.NoError(t, err)
		if read, _ := r.Progress(); read-taken > recording.ReadAhead {
			t.Fatalf("%d bytes read when %d were taken: more than %d ahead", read, taken, recording.ReadAhead)
		}
		taken += int64(len(line))
	}
	if taken != int64(lines*len(line)) {
		t.Errorf("took %d bytes, want %d", taken, lines*len(line))
	}
}

// repeat reads the same text again and again.
type repeat struct {
	text string
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// TestItems_LeavesNoGoroutine relies on synctest, which fails if a goroutine is left.
func TestItems_LeavesNoGoroutine(t *testing.T) {
	var text strings.Builder
	o := chaintest.Default()
	o.Blocks = 300
	if _, err := chaintest.WriteRecording(&text, o); err != nil {
		t.Fatal(err)
	}
	plain := writeFile(t, "plain", []byte(text.String()))
	bad := writeFile(t, "bad", []byte("{}\n"+text.String()))
	packed := writeFile(t, "packed", zstandard(text.String()))
	for name, paths := range map[string][]string{
		"read to the end": {plain, packed}, "ended by an error": {bad, plain}, "no files": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { readAll(open(t, nil, paths...)) })
		})
	}
	t.Run("loop left early", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for range open(t, nil, packed, plain).Items(t.Context()) {
				break
			}
		})
	})
	t.Run("context cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			for _, err := range open(t, nil, plain, packed).Items(ctx) {
				cancel()
				last = err
			}
			if !errors.Is(last, context.Canceled) {
				t.Errorf("last error %v, want %v", last, context.Canceled)
			}
		})
	})
	t.Run("standard input that never comes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				synctest.Wait() // until the reader waits for input
				cancel()
			}()
			var last error
			for _, err := range open(t, in, "-").Items(ctx) {
				last = err
			}
			if !errors.Is(last, context.Canceled) {
				t.Errorf("last error %v, want %v", last, context.Canceled)
			}
			out.Close()
		})
	})
}

func TestOpen_Errors(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"missing file":         {[]string{filepath.Join(dir, "none")}, "no such file"},
		"directory":            {[]string{dir}, "is a directory"},
		"standard input twice": {[]string{"-", "-"}, "given 2 times"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := recording.Open(c.paths, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestItems_FileGoneAfterOpen(t *testing.T) {
	path := writeFile(t, "gone", []byte(blockLine(1)))
	r := open(t, nil, path)
	expect.NoError(t, os.Remove(path))
	if _, err := readAll(r); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want %v", err, os.ErrNotExist)
	}
}

func TestProgress_UnknownSizeOfStandardInput(t *testing.T) {
	r := open(t, strings.NewReader(blockLine(1)), "-", writeFile(t, "f", []byte(blockLine(2))))
	if _, err := readAll(r); err != nil {
		t.Fatal(err)
	}
	if read, size := r.Progress(); read != int64(len(blockLine(1)+blockLine(2))) || size != 0 {
		t.Errorf("progress %d of %d, want all of 0", read, size)
	}
}
