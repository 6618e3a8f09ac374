package negotiate

import (
	"go/version"
	"net/http"
	"runtime"
	"strings"
)

// SafeGo is the first version of Go in which a client can't end a server by HTTP/2
// (GO-2026-6617).
const SafeGo = "go1.26.9"

// HTTP2 reports whether the program offers HTTP/2: it was built with [SafeGo] or later.
func HTTP2() bool { return isSafe(runtime.Version()) }

// isSafe reports whether a program built with this [runtime.Version] may offer HTTP/2. Names of
// experiments may follow the version. Go's development versions count as old, because they don't
// say what they contain.
func isSafe(built string) bool {
	number, _, _ := strings.Cut(built, " ")
	return version.Compare(number, SafeGo) >= 0
}

// Protocols returns the protocols of a server: HTTP/1.1, and HTTP/2 with and without TLS if the
// program offers it.
func Protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(HTTP2())
	p.SetUnencryptedHTTP2(HTTP2())
	return p
}
