package database

import "fmt"

// Wrap prefixes an error with an action, such as "reading blocks". It returns nil for nil.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
