package configfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/configfile"
	"mintburn/internal/testing/expect"
)

func TestRead(t *testing.T) {
	tables, values, err := configfile.Read([]byte(`# comment
log-format = "json" # of all
"max-cost" = 1_000

contract = [
  "0xaa", # the first
  '0xbb',
]
[serve]
drain = "10s"
introspection = false
numbers = [0x1f, -7, +3, 1.5]
none = []

[ "sync" ]
drain = """
two"""
[chains.a-1]
drain = "3s"
[ "chains" . "B.c" ]`))
	expect.NoError(t, err)
	expect.Equal(t, "tables", []configfile.Table{{Name: "serve", Line: 9}, {Name: "sync", Line: 15}, {Name: "chains.a-1", Line: 18}, {Name: "chains.B.c", Line: 20}}, tables)
	expect.Equal(t, "values", []configfile.Value{
		{Key: "log-format", Texts: []string{"json"}, Line: 2},
		{Key: "max-cost", Texts: []string{"1000"}, Line: 3},
		{Key: "contract", Texts: []string{"0xaa", "0xbb"}, IsList: true, Line: 5},
		{Table: "serve", Key: "drain", Texts: []string{"10s"}, Line: 10},
		{Table: "serve", Key: "introspection", Texts: []string{"false"}, Line: 11},
		{Table: "serve", Key: "numbers", Texts: []string{"31", "-7", "3", "1.5"}, IsList: true, Line: 12},
		{Table: "serve", Key: "none", IsList: true, Line: 13},
		{Table: "sync", Key: "drain", Texts: []string{"two"}, Line: 16},
		{Table: "chains.a-1", Key: "drain", Texts: []string{"3s"}, Line: 19},
	}, values)
}

// TestRead_WhiteSpace checks that a byte order mark and white space around values are dropped,
// and that errors have the right line.
func TestRead_WhiteSpace(t *testing.T) {
	for text, want := range map[string][]string{
		"\ufeffa = \" x\"": {"x"}, "\ufeff# comment\r\na = 'x\t'\r\n": {"x"}, "a = \"\\n x y\\u00a0\"": {"x y"}, "a = [' x', \"y\\n\", ' ']": {"x", "y", ""}, "a = '''\nx\n'''": {"x"},
	} {
		_, values, err := configfile.Read([]byte(text))
		expect.NoError(t, err)
		expect.Equal(t, text, want, values[0].Texts)
	}
	if _, _, err := configfile.Read([]byte("\ufeffa = 1\n[s]\n[s]")); err == nil || err.Error() != "line 3: [s] occurs twice: want it once" {
		t.Errorf("got %v", err)
	}
}

func TestRead_Wrong(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\nb = SECRET":             "line 2: ",
		"a = 1\n\nb":                    "line 3: ",
		"a = \"SECRET":                  "line 1: ",
		"a = 1\na = 2":                  "line 2: a occurs twice",
		"[s]\na = 1\n[t]\na = 1\na = 2": "line 5: a occurs twice",
		"[s]\n[t]\n[s]":                 "line 3: [s] occurs twice",
		"a = 1\n[[s]]":                  "line 2: [[s]]: want [s]",
		"[a.b]":                         "line 1: a.b: want a name without dots, or a table [chains.NAME]",
		"[chains.b.c]":                  "line 1: chains.b.c: want a name without dots",
		"\n[\"chains.b\"]":              "line 2: chains.b: want a name without dots",
		"chains.b.c = 1":                "line 1: chains.b.c: want a name without dots",
		"[chains.b]\n[[chains.b]]":      "line 2: [[chains.b]]: want [chains.b], a table that occurs once",
		"[chains.b]\n[chains.'b']":      "line 2: [chains.b] occurs twice",
		"[chains.b]\nc.d = 1":           "line 2: c.d: want a name without dots",
		"\na.b = 1":                     "line 2: a.b: want a name without dots",
		"a = {b = \"SECRET\"}":          "line 1: a: want a string",
		"a = [\n[1]]":                   "line 1: a: want a string",
		"a = 2027-01-31":                "line 1: a: want a string",
		"a = 9223372036854775808":       "line 1: ",
		"a = 1 b = 2":                   "line 1: ",
		"\xff = 1":                      "line 1: ",
		strings.Repeat("#", configfile.MaxSize+1): "want at most 1048576 bytes",
	} {
		_, values, err := configfile.Read([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80q: %v, error %v, want %s", text, values, err, want)
		}
	}
}

// TestRead_Large reads a long file, to check that counting lines takes linear time.
func TestRead_Large(t *testing.T) {
	var text strings.Builder
	n := 0
	for ; text.Len() < configfile.MaxSize-20; n++ {
		fmt.Fprintf(&text, "k%d=1\n", n)
	}
	_, values, err := configfile.Read([]byte(text.String()))
	if err != nil || len(values) != n || values[n-1].Line != n {
		t.Errorf("%d values, error %v", len(values), err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("a = 1\n[b]\nc = [\"d\", 0x1]\n"))
	f.Add([]byte("a = [1, # x\n"))
	f.Add([]byte("[chains.a]\nb = 1\n[ chains . \"c d\" ]\nb = [2]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tables, values, err := configfile.Read(text)
		for _, table := range tables {
			if strings.Contains(table.Name, ".") && !strings.HasPrefix(table.Name, configfile.Chains) || table.Line < 1 {
				t.Errorf("%+v", table)
			}
		}
		at := new(configfile.Error)
		if errors.As(err, &at) && (at.Line < 1 || at.Line > strings.Count(string(text), "\n")+1) {
			t.Errorf("line %d", at.Line)
		}
		for _, v := range values {
			if v.Line < 1 || len(v.Texts) != 1 && !v.IsList {
				t.Errorf("%+v", v)
			}
		}
	})
}
