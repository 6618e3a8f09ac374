package httpapi

import "strings"

// NewPage is [Page] over other assets than the embedded ones.
var NewPage = newPage

// RoutePaths returns the paths of the REST routes.
func RoutePaths() (list []string) {
	for _, to := range routes() {
		list = append(list, "/v1/"+strings.Join(to.path, "/"))
	}
	return list
}
