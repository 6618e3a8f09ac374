package flags

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"

	"mintburn/internal/command/console"
	"mintburn/internal/configfile"
)

// ofChain is the struct tag of the flags of serve that a chain may set.
const ofChain = "chain"

// paths are the names that are not a chain's, because a server has other things there.
var paths = []string{"graphql", "v1", "explore", "docs", "assets", "chains", "healthz", "readyz", "metrics"}

var chainName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// nodeFlags are the flags of URLs of nodes, each of which belongs to one chain.
var nodeFlags = []string{"rpc", "proof-rpc"}

// namedURL matches a value of nodeFlags that begins with the name of its chain, even a wrong one.
var namedURL = regexp.MustCompile(`^[A-Za-z0-9_-]*=`)

// CheckChain fails for a name that a chain can't have.
func CheckChain(name string) error {
	switch {
	case !chainName.MatchString(name):
		return fmt.Errorf("%q: want a letter and up to 31 more of a-z, 0-9 and -", console.WithoutSecrets("rpc", name))
	case slices.Contains(paths, name):
		return fmt.Errorf("%q is a path of the server: want another name", name)
	}
	return nil
}

// chainFlags returns the flags of serve that a chain may set, by their names.
func chainFlags(model *kong.Application) map[string]*kong.Flag {
	found := map[string]*kong.Flag{}
	for _, flag := range serveFlags(model) {
		if flag.Tag.Has(ofChain) {
			found[flag.Name] = flag
		}
	}
	return found
}

func serveFlags(model *kong.Application) []*kong.Flag {
	return model.Children[slices.Index(CommandNames(model), "serve")].Flags
}

// isChains reports whether a key of a chain's table sets a flag of a command: one of serve, or one
// that means the same.
func isChains(model *kong.Application, flag *kong.Flag) bool {
	of := chainFlags(model)[flag.Name]
	return of != nil && of.Help == flag.Help
}

// errUnnamed is the error of a value of nodeFlags.
func errUnnamed(url string) error {
	return fmt.Errorf("got %q beside chains: want it in a table [chains.NAME], or as NAME=URL", console.WithoutSecrets("rpc", url))
}

// errBeside is the error of --db.
var errBeside = errors.New("got one beside chains: want it in a table [chains.NAME], or as --chain NAME=DSN")

// checkBeside fails for a key outside the tables of chains that is only a chain's.
func checkBeside(v configfile.Value) error {
	switch {
	case v.Key == "db":
		return Error("--db", errBeside)
	case slices.Contains(nodeFlags, v.Key):
		for _, text := range v.Texts {
			if !namedURL.MatchString(text) {
				return Error("--"+v.Key, errUnnamed(text))
			}
		}
	}
	return nil
}

// chainFlag returns the flag that a key of a chain's table sets. It fails if there is none.
func chainFlag(model *kong.Application, key string) (*kong.Flag, error) {
	allowed := chainFlags(model)
	if flag := allowed[key]; flag != nil {
		return flag, nil
	}
	if slices.ContainsFunc(serveFlags(model), func(f *kong.Flag) bool { return f.Name == key }) {
		return nil, fmt.Errorf("%s is not a chain's: want it above all tables, or in [serve]", key)
	}
	return nil, fmt.Errorf("mintburn serve has no flag %s%s", key, Suggestion(key, slices.Collect(maps.Keys(allowed))))
}
