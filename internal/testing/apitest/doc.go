// Package apitest sends requests to the API and decodes its answers, for tests. The API is
// a URL or an [net/http.Handler]. Start with client.go.
package apitest
