package command

import (
	"crypto/rand"
	"fmt"

	"mintburn/internal/apikeys"
)

type keysCommand struct {
	Action string `arg:"" enum:"new" help:"What to do: ${enum}."`
	Name   string `arg:"" help:"Name of the key in logs: 1 to 64 letters, digits and . _ @ -."`
}

// Run prints the line of a new key for the file of --api-keys to standard output, and the
// key itself to standard error: mintburn keys new NAME >> FILE.
func (c *keysCommand) Run(e *env) error {
	secret, err := apikeys.Generate(rand.Reader)
	if err != nil {
		return err
	}
	line, err := apikeys.Line(c.Name, secret)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if _, err := fmt.Fprintln(e.stdout, line); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stderr, "The key of %s, which is stored nowhere: %s\n", c.Name, secret)
	return err
}
