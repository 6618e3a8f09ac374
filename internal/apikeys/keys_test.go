package apikeys_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"mintburn/internal/apikeys"
	"mintburn/internal/testing/expect"
)

var noon = time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)

// generate returns a secret and its line.
func generate(t *testing.T, n int) (secret, line string) {
	t.Helper()
	secret, err := apikeys.Generate(bytes.NewReader(fmt.Appendf(nil, "%032d", n)))
	expect.NoError(t, err)
	line, err = apikeys.Line(fmt.Sprintf("client-%d", n), secret)
	expect.NoError(t, err)
	return secret, line
}

// TestFind_Many finds each of 10,000 keys by its secret, and by no other.
func TestFind_Many(t *testing.T) {
	const keys = 10_000
	var file strings.Builder
	secrets := make([]string, keys)
	for n := range secrets {
		var line string
		secrets[n], line = generate(t, n)
		file.WriteString(line + "\n")
	}
	set, err := apikeys.Parse([]byte(file.String()))
	expect.NoError(t, err)
	if set.Len() != keys {
		t.Errorf("%d keys, want %d", set.Len(), keys)
	}
	for n, secret := range secrets {
		if key := set.Find(secret, noon); key == nil || key.Name != fmt.Sprintf("client-%d", n) {
			t.Fatalf("client %d is %v", n, key)
		}
		if n%1000 == 0 && strings.Contains(file.String(), secret[len("mintburn_"):]) {
			t.Fatalf("the file contains the secret of client %d", n)
		}
	}
	other, _ := generate(t, keys)
	hash := file.String()[strings.Index(file.String(), "sha256:"):][:71]
	for _, wrong := range []string{"", other, secrets[0] + "0", secrets[0][:len(secrets[0])-1], strings.ToUpper(secrets[0]), hash, hash[7:], strings.Repeat("x", 1<<20)} {
		if key := set.Find(wrong, noon); key != nil {
			t.Errorf("%.80q is the key of %s", wrong, key.Name)
		}
	}
	if key := new(apikeys.Set).Find(secrets[0], noon); key != nil {
		t.Errorf("found %v in an empty set", key)
	}
}

func TestGenerate(t *testing.T) {
	if secret, err := apikeys.Generate(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Errorf("31 random bytes: %s", secret)
	}
	broken := errors.New("no entropy")
	if _, err := apikeys.Generate(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"", "a b", "a\n", "#a", strings.Repeat("a", 65), "ä", "a=b", `a"b`} {
		if line, err := apikeys.Line(name, "x"); err == nil {
			t.Errorf("%q: %s", name, line)
		}
	}
}

// TestParse_Options reads the options that may follow the hash.
func TestParse_Options(t *testing.T) {
	secret, line := generate(t, 1)
	for options, want := range map[string]string{
		"chains=base":                      "quota <nil>, cost 0, valid true, chains base",
		"chains=base,no-such max-cost=1":   "quota <nil>, cost 1, valid true, chains base no-such",
		"":                                 "quota <nil>, cost 0, valid true",
		"quota=0":                          "quota 0, cost 0, valid true",
		"quota=1073741824 max-cost=1":      "quota 1073741824, cost 1, valid true",
		"expires=2027-01-31":               "quota <nil>, cost 0, valid false",
		"expires=2027-02-01":               "quota <nil>, cost 0, valid true",
		"expires=2027-01-31T12:00:00Z":     "quota <nil>, cost 0, valid false",
		"expires=2027-01-31T12:00:01Z":     "quota <nil>, cost 0, valid true",
		"\t max-cost=7 expires=2030-01-01": "quota <nil>, cost 7, valid true",
	} {
		set, err := apikeys.Parse([]byte("# comment\n\n" + line + " " + options + "\r\n"))
		expect.NoError(t, err)
		key, valid := set.Find(secret, time.Time{}), set.Find(secret, noon) != nil
		if key == nil {
			t.Fatalf("%q: no key", options)
		}
		quota := "<nil>"
		if key.Quota != nil {
			quota = fmt.Sprint(*key.Quota)
		}
		chains := ""
		if key.Chains != nil {
			chains = ", chains " + strings.Join(key.Chains, " ")
		}
		if got := fmt.Sprintf("quota %s, cost %d, valid %t%s", quota, key.MaxCost, valid, chains); got != want {
			t.Errorf("%q: got %s, want %s", options, got, want)
		}
	}
}

// TestParse_Wrong checks that each error names the line, and repeats nothing that may be
// a secret.
func TestParse_Wrong(t *testing.T) {
	secret, line := generate(t, 1)
	_, other := generate(t, 2)
	hash := strings.Fields(line)[1]
	for text, want := range map[string]string{
		"":                                          "the last line has no newline",
		line:                                        "the last line has no newline",
		line + "\n" + other:                         "the last line has no newline",
		secret + "\n":                               "line 1: name: want",
		"alice " + secret + "\n":                    "line 1: want NAME sha256: and 64 hex digits",
		"alice\n":                                   "line 1: want NAME sha256:",
		hash + "\n":                                 "line 1: name: want",
		line[:len(line)-1] + "\n":                   "line 1: want NAME",
		line + "0\n":                                "line 1: want NAME",
		line[:len(line)-1] + "g\n":                  "line 1: want NAME",
		"alice SHA256:" + hash[7:] + "\n":           "line 1: want NAME",
		"#\n" + line + "\n" + line + "\n":           "line 3: name: client-1 occurs twice",
		line + "\nbob " + hash + "\n":               "line 2: bob has the same key as client-1",
		line + " quota=-1\n":                        "line 1: quota: want 0 to 1073741824",
		line + " quota=1073741825\n":                "line 1: quota: want 0 to",
		line + " quota=\n":                          "line 1: quota: want 0 to",
		line + " chains=\n":                         "line 1: chains: want names",
		line + " chains\n":                          "line 1: chains: want names",
		line + " chains=base,\n":                    "line 1: chains: want names",
		line + " max-cost=0\n":                      "line 1: max-cost: want 1 to",
		line + " quota=1 quota=2\n":                 "line 1: an option occurs twice",
		line + " expires=tomorrow\n":                "line 1: expires: want a date",
		line + " " + secret + "\n":                  "line 1: unknown option: want",
		line + " quota=" + secret + "\n":            "line 1: quota: want",
		strings.Repeat(" ", apikeys.MaxFile) + "\n": "want at most 16777216 bytes",
		manyKeys(apikeys.MaxKeys + 1):               "line 100001: want at most 100000 keys",
	} {
		set, err := apikeys.Parse([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || set != nil {
			t.Errorf("%.200q: error %v, want %s", text, err, want)
		} else if strings.Contains(err.Error(), secret[20:]) || strings.Contains(err.Error(), hash[20:]) {
			t.Errorf("%q repeats the line: %v", text, err)
		}
	}
	set, err := apikeys.Parse([]byte(manyKeys(apikeys.MaxKeys)))
	if err != nil || set.Len() != apikeys.MaxKeys {
		t.Errorf("the most keys: %v", err)
	}
	if set, err := apikeys.Parse([]byte("# nobody\n")); err != nil || set.Len() != 0 {
		t.Errorf("no keys: %v", err)
	}
}

// manyKeys returns a file of n keys.
func manyKeys(n int) string {
	var file strings.Builder
	for i := range n {
		fmt.Fprintf(&file, "k%d sha256:%064x\n", i, i)
	}
	return file.String()
}

// TestParse_Cut checks that a file cut anywhere inside a line is an error, so that no key
// is read from a part of its line.
func TestParse_Cut(t *testing.T) {
	_, first := generate(t, 1)
	_, second := generate(t, 2)
	file := first + " quota=1000\n" + second + " expires=2027-01-31\n"
	for i := range file {
		set, err := apikeys.Parse([]byte(file[:i]))
		if complete := i > 0 && file[i-1] == '\n'; (err == nil) != complete {
			t.Errorf("cut after %d bytes: %v, error %v", i, set, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# keys\nalice sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 quota=1 expires=2027-01-31\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := apikeys.Parse(text)
		if err == nil && set.Len() > bytes.Count(text, []byte("sha256:")) {
			t.Errorf("%d keys", set.Len())
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 250) {
			t.Errorf("%v", err)
		}
	})
}
