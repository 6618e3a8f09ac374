package httpapi

import (
	"bytes"
	"cmp"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// serveAsset serves a file that never changes under its name.
func (p playgroundPage) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := "assets/built/" + r.PathValue("file")
	if info, err := fs.Stat(p.assets, name); err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	packed, ok := p.packed[name]
	if !ok || chooseCoding(r.Header, "gzip") == "" {
		http.ServeFileFS(w, r, p.assets, name)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Length", strconv.Itoa(len(packed())))
	// A client that went away has no use for the error.
	_, _ = w.Write(packed())
}

// packAssets returns the assets compressed, each when it is first asked for.
func packAssets(assets fs.FS) map[string]func() []byte {
	packed := map[string]func() []byte{}
	// The only error of Glob is a malformed pattern, and this is a constant.
	names, _ := fs.Glob(assets, "assets/built/*.*")
	for _, name := range names {
		packed[name] = sync.OnceValue(func() []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			// The binary holds what it embeds, and a buffer takes everything.
			text, _ := fs.ReadFile(assets, name)
			_, _ = w.Write(text)
			_ = w.Close()
			return b.Bytes()
		})
	}
	return packed
}
