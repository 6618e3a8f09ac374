package secret

import (
	"net/url"
	"slices"
	"strings"

	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/evm"
)

// Secrets are the parts of a URL that may be credentials, longest first.
type Secrets []string

// Of returns the secrets of a URL, plain and in each escaped form that a provider may repeat.
func Of(u *url.URL) (secrets Secrets) {
	add := func(text string) {
		for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text)} {
			// One or two characters would match in any word.
			if len(form) > 2 {
				secrets = append(secrets, form)
			}
		}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		add(u.User.String())
		add(password)
		add(u.User.Username())
	}
	add(u.RawQuery)
	for _, values := range u.Query() {
		for _, value := range values {
			add(value)
		}
	}
	add(strings.Trim(u.EscapedPath(), "/"))
	for segment := range strings.SplitSeq(u.Path, "/") {
		add(segment)
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(secrets)
}

// Clean returns a provider's text as one printable line of bounded length, without
// credentials.
func (s Secrets) Clean(text string) string {
	const most = 300
	if text = evm.Printable(s.hide(text, 0)); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Excerpt is [evm.Excerpt] without credentials, which the excerpt could cut in two.
func (s Secrets) Excerpt(text []byte) string {
	return evm.Excerpt(s.hide(string(text[:min(len(text), rpcerror.MaxText)]), 0))
}

// hide replaces the secrets in text that are longer than this.
func (s Secrets) hide(text string, longer int) string {
	for _, secret := range s {
		if len(secret) > longer {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return text
}

// Hidden returns err without the credentials, which a malformed value in an
// answer may contain. Short ones are left, because they also occur in names of methods
// and hosts; [Secrets.Clean] has removed them from messages.
func (s Secrets) Hidden(err error) error {
	if err == nil {
		return nil
	}
	if text := s.hide(err.Error(), 8); text != err.Error() {
		return &hiddenError{text, err}
	}
	return err
}

// hiddenError is an error with another text.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }

func (e *hiddenError) Unwrap() error { return e.err }
