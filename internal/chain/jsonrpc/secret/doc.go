// Package secret removes the credentials of a URL from the texts of others, such as the
// errors of a provider. Open secret.go.
package secret
