package command_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// documentedBase is the address that commands in documents name.
const documentedBase = "http://127.0.0.1:8080"

// words splits a shell command into words: quotes, backslashes and continued
// lines are understood, and nothing else of the shell is.
func words(command string) ([]string, error) {
	var list []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	text := []rune(command)
	for i := 0; i < len(text); i++ {
		r := text[i]
		escapes := r == '\\' && quote != '\'' && i+1 < len(text)
		switch {
		case escapes && text[i+1] == '\n':
			i++
		case escapes && (quote == 0 || strings.ContainsRune("\\\"$`", text[i+1])):
			i++
			word.WriteRune(text[i])
			inWord = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && strings.ContainsRune(" \t\n", r):
			if inWord {
				list, inWord = append(list, word.String()), false
				word.Reset()
			}
		case quote != '\'' && strings.ContainsRune("$`", r), quote == 0 && strings.ContainsRune("|&;<>()*?[#~", r):
			return nil, fmt.Errorf("%q is more of a shell than is understood here", r)
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		list = append(list, word.String())
	}
	return list, nil
}

// curl is what a curl command sends.
type curl struct {
	method, url string
	header      map[string]string
	data        []string
	asQuery     bool
}

// parseCurl reads the words after curl.
func parseCurl(arguments []string) (*curl, error) {
	c := &curl{header: map[string]string{}}
	for i := 0; i < len(arguments); i++ {
		flag := arguments[i]
		value := func() (string, error) {
			if i++; i >= len(arguments) {
				return "", fmt.Errorf("%s needs a value", flag)
			}
			return arguments[i], nil
		}
		var text string
		var err error
		switch flag {
		case "-sG":
			c.asQuery = true
		case "-s", "-S", "-sS", "-f", "-sf", "-fsS", "--silent", "--fail", "--show-error":
		case "--compressed":
			c.header["Accept-Encoding"] = "gzip"
		case "-G", "--get":
			c.asQuery = true
		case "-X", "--request":
			c.method, err = value()
		case "-H", "--header":
			text, err = value()
			name, content, found := strings.Cut(text, ":")
			if err == nil && !found {
				err = fmt.Errorf("header %q has no colon", text)
			}
			c.header[strings.TrimSpace(name)] = strings.TrimSpace(content)
		case "-d", "--data", "--data-raw", "--data-binary":
			text, err = value()
			c.data = append(c.data, text)
		case "--json":
			text, err = value()
			c.data = append(c.data, text)
			c.header["Content-Type"], c.header["Accept"] = "application/json", "application/json"
		case "--data-urlencode":
			text, err = value()
			name, content, found := strings.Cut(text, "=")
			if err == nil && !found {
				err = fmt.Errorf("%q has no name", text)
			}
			c.data = append(c.data, name+"="+url.QueryEscape(content))
		default:
			if strings.HasPrefix(flag, "-") || c.url != "" {
				return nil, fmt.Errorf("curl's %s is not understood here", flag)
			}
			c.url = flag
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// curl sends what the words of a command say to the server, whatever address
// of this machine they name.
func (s *server) curl(t testing.TB, command string) ([]byte, error) {
	t.Helper()
	arguments, err := words(command)
	if err != nil {
		return nil, err
	}
	if len(arguments) < 2 || arguments[0] != "curl" {
		return nil, fmt.Errorf("not a curl command: %s", command)
	}
	c, err := parseCurl(arguments[1:])
	if err != nil {
		return nil, err
	}
	if !strings.Contains(c.url, "://") {
		c.url = "http://" + c.url
	}
	path, found := strings.CutPrefix(c.url, documentedBase)
	if !found {
		if path, found = strings.CutPrefix(c.url, s.Base); !found {
			return nil, fmt.Errorf("the address %s is not %s", c.url, documentedBase)
		}
	}
	body, method := strings.Join(c.data, "&"), c.method
	if c.asQuery && body != "" {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path, body = path+separator+body, ""
	}
	if method == "" {
		method = http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
	}
	header := []string{"Content-Type", ""}
	if body != "" {
		header[1] = "application/x-www-form-urlencoded"
	}
	for name, value := range c.header {
		// Go unpacks an answer only if it asked for the packing itself.
		if !strings.EqualFold(name, "Accept-Encoding") {
			header = append(header, name, value)
		}
	}
	return []byte(s.Send(t, method, path, body, header...).Body), nil
}

func TestWords(t *testing.T) {
	for command, want := range map[string][]string{
		`curl -s http://x/`:                {"curl", "-s", "http://x/"},
		"curl \\\n  -d '{\"a\": \"b c\"}'": {"curl", "-d", `{"a": "b c"}`},
		`a "b \"c\"" d\ e ''`:              {"a", `b "c"`, "d e", ""},
		`x"y"'z'`:                          {"xyz"},
	} {
		got, err := words(command)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v: want %q", command, got, err, want)
		}
	}
	for _, command := range []string{"curl x | jq", "curl $HOME", "curl 'x", "curl x > y", "a; b"} {
		if got, err := words(command); err == nil {
			t.Errorf("%s: %q, want an error", command, got)
		}
	}
}
