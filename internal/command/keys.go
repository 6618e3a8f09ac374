package command

import (
	"crypto/rand"
	"fmt"

	"mintburn/internal/apikeys"
	"mintburn/internal/command/process"
)

type keysCommand struct {
	Action string `arg:"" enum:"new" help:"Action: ${enum}."`
	Name   string `arg:"" help:"Name of the key in logs: 1 to 64 letters, digits and . _ @ -."`
}

// Run generates a key. It prints the line for the file of --api-keys to standard output
// and the key itself to standard error, as for mintburn keys new NAME >> FILE.
func (c *keysCommand) Run(e *process.Env) error {
	secret, err := apikeys.Generate(rand.Reader)
	if err != nil {
		return err
	}
	line, err := apikeys.Line(c.Name, secret)
	if err != nil {
		return &process.ExitError{Code: process.ExitUsage, Err: err}
	}
	if _, err := fmt.Fprintln(e.Stdout, line); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stderr, "API key of %s, which is not stored anywhere: %s\n", c.Name, secret)
	return err
}
