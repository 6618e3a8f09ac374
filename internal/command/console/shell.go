package console

import (
	"regexp"
	"slices"
	"strings"
)

// Continued returns the command with these arguments as a shell command line, with --after replaced.
func Continued(args []string, after string) string {
	args = slices.Clone(args)
	for i := 0; i < len(args); i++ {
		if strings.HasPrefix(args[i], "--after=") {
			args = slices.Delete(args, i, i+1)
		} else if args[i] == "--after" {
			args = slices.Delete(args, i, min(i+2, len(args)))
		} else {
			continue
		}
		i--
	}
	words := []string{"mintburn"}
	for _, arg := range append(args, "--after", after) {
		words = append(words, Quoted(arg))
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[\w./:=,@%+-]+$`)

// Quoted returns a word for a POSIX shell, quoted if necessary.
func Quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
