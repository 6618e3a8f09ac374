package command

import (
	"io"

	"mintburn/internal/httpapi"
)

// LimitsOf returns the limits that the arguments of serve set.
func LimitsOf(args ...string) (httpapi.Limits, error) {
	var line commandLine
	parser, err := newParser(&line, io.Discard, io.Discard)
	if err != nil {
		return httpapi.Limits{}, err
	}
	_, err = parser.Parse(append([]string{"serve"}, args...))
	return line.Serve.Limits(5), err
}

// RunAt is [Run] with a clock.
var RunAt = runAt
