package negotiate

import "net/http"

// Codings are the supported content codings, for [ChooseCoding]. gzip wins over zstd at the same weight, because
// some clients accept zstd by default and cannot decode it.
var Codings = []string{"gzip", "zstd"}

// ChooseCoding returns the offered coding that a client prefers, the first at equal weights,
// or "" for none. RFC 9110, section 12.5.3.
func ChooseCoding(h http.Header, offered ...string) string {
	weights := make(map[string]float64, len(offered))
	anything, any := 0.0, false
	eachWeighted(h.Values("Accept-Encoding"), func(name, _ string, weight float64) {
		if name == "*" {
			anything, any = weight, true
			return
		}
		weights[name] = weight
	})
	best, most := "", 0.0
	for _, name := range offered {
		weight, named := weights[name]
		if !named && any {
			weight = anything
		}
		if weight > most {
			best, most = name, weight
		}
	}
	return best
}
