package flags

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/configfile"
	"mintburn/internal/database"
)

// Several are the commands that take several chains. The others with --chain take one.
var Several = []string{"serve", "status"}

// Chains is what the flags of a command say about chains. The zero value is for a command line
// that no other has prepared.
type Chains struct {
	// Chain is the chain that the flags are for. "" is the one of --chain, or none in a command that
	// takes [Several].
	Chain string
	// File is the file of --config, nil until it is read.
	File *ConfigFile
	// Names are the chains that --chain selects, in the order of the file and then of the
	// arguments; nil without chains. They are set by parsing.
	Names []string
	// lines are the lines of the file with the values of the chain, by flag.
	lines map[string]int
}

// chain is a chain of the file or the arguments.
type chain struct {
	name string
	// line is the line of its table, 0 without one.
	line int
	// values are its keys, with the values of arguments in place of the file's.
	values map[string]configfile.Value
}

// Apply sets the flags of a command to the values of its chain, before they are validated. A
// command that takes [Several] gets the first one's database and no nodes, and parses its arguments
// again for each chain.
func (c *Chains) Apply(line *kong.Context) error {
	p := &parsed{line: line, file: cmp.Or(c.File, &ConfigFile{})}
	chains, err := p.chains()
	if err != nil {
		return err
	}
	if err := p.check(chains); err != nil || len(chains) == 0 {
		return err
	}
	several := slices.Contains(Several, line.Selected().Name)
	selected := slices.DeleteFunc(slices.Clone(chains), func(k chain) bool {
		return (p.selects || !several) && !slices.Contains(p.mentioned, k.name)
	})
	c.Names = namesOf(selected)
	name := c.Chain
	switch {
	case name != "":
	case several:
		for _, flag := range nodeFlags {
			err = errors.Join(err, p.set(flag, configfile.Value{}))
		}
		return errors.Join(p.set("db", selected[0].values["db"]), err)
	case len(selected) == 0:
		return fmt.Errorf("missing --chain: want one of %s", strings.Join(namesOf(chains), ", "))
	case len(selected) > 1:
		return p.wrong("chain", fmt.Errorf("got %s, want one", strings.Join(c.Names, " and ")))
	default:
		name = selected[0].name
	}
	own := chains[slices.Index(namesOf(chains), name)]
	c.lines = map[string]int{}
	for _, flag := range line.Selected().Flags {
		if v, ok := own.values[flag.Name]; isChains(line.Model, flag) && (ok || slices.Contains(nodeFlags, flag.Name)) {
			c.lines[flag.Name], err = v.Line, errors.Join(err, p.set(flag.Name, v))
		}
	}
	return err
}

func namesOf(chains []chain) (names []string) {
	for _, k := range chains {
		names = append(names, k.name)
	}
	return names
}

// parsed is a command line whose flags are known but not applied yet.
type parsed struct {
	line *kong.Context
	file *ConfigFile
	// mentioned are the chains of --chain. selects is true if it names one without a database, so
	// that the others of the file are left out.
	mentioned []string
	selects   bool
}

// flag returns a flag of the command, or nil if it has none of that name.
func (p *parsed) flag(name string) *kong.Flag {
	for _, flag := range p.line.Selected().Flags {
		if flag.Name == name {
			return flag
		}
	}
	return nil
}

// list returns the values of a flag that is repeatable, nil if the command has none.
func (p *parsed) list(name string) []string {
	if flag := p.flag(name); flag != nil {
		list, _ := p.line.FlagValue(flag).([]string)
		return list
	}
	return nil
}

// given returns where an argument or the file set a flag, nil if neither did.
func (p *parsed) given(flag *kong.Flag) *kong.Path {
	i := slices.IndexFunc(p.line.Path, func(at *kong.Path) bool { return at.Flag == flag })
	if flag == nil || i < 0 {
		return nil
	}
	return p.line.Path[i]
}

// wrong returns an error of a flag, with the line if the file set it.
func (p *parsed) wrong(name string, err error) error {
	err, flag := Error("--"+name, err), p.flag(name)
	if at := p.given(flag); at != nil && at.Resolved {
		v, _ := p.file.of(p.line.Selected(), flag)
		return p.file.errorAt(v.Line, err)
	}
	return err
}

// set sets a flag in place of arguments, variables and the rest of the file.
func (p *parsed) set(name string, v configfile.Value) error {
	flag := p.flag(name)
	if flag == nil {
		return nil
	}
	target := flag.Target
	if at := p.given(flag); at != nil {
		// It is applied later.
		target = p.line.Value(at)
	}
	target.SetZero()
	if len(v.Texts) == 0 {
		return nil
	}
	return flag.Parse(kong.Scan().PushTyped(resolved(flag.Value, v), kong.FlagValueToken), target)
}

// chains returns the chains of the file and the arguments.
func (p *parsed) chains() (chains []chain, err error) {
	for i, name := range p.file.Chains() {
		values := map[string]configfile.Value{}
		for at, v := range p.file.values {
			if at[0] == configfile.Chains+name {
				values[at[1]] = v
			}
		}
		chains = append(chains, chain{name, p.file.chains[i].Line, values})
	}
	find := func(name string) int { return slices.Index(namesOf(chains), name) }
	for _, text := range p.list("chain") {
		name, dsn, own := strings.Cut(text, "=")
		err := CheckChain(name)
		switch i := find(name); {
		case err != nil:
		case slices.Contains(p.mentioned, name):
			err = fmt.Errorf("%s occurs twice: want it once", name)
		case own && i < 0:
			chains = append(chains, chain{name, 0, map[string]configfile.Value{"db": {Texts: []string{dsn}}}})
		case own:
			chains[i].values["db"] = configfile.Value{Texts: []string{dsn}}
		case i < 0:
			err = errUnknown(name, chains)
		default:
			p.selects = true
		}
		if err != nil {
			return nil, p.wrong("chain", err)
		}
		p.mentioned = append(p.mentioned, name)
	}
	for _, flag := range nodeFlags {
		if err := p.name(flag, chains); err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// name gives the URLs of one of nodeFlags to the chains that they name.
func (p *parsed) name(flag string, chains []chain) error {
	urls := map[int][]string{}
	for _, text := range p.list(flag) {
		name, url, _ := strings.Cut(text, "=")
		i := slices.Index(namesOf(chains), name)
		switch named := namedURL.MatchString(text); {
		case named && i < 0:
			return p.wrong(flag, errUnknown(name, chains))
		case named:
			urls[i] = append(urls[i], url)
		case len(chains) > 0:
			return p.wrong(flag, errUnnamed(text))
		}
	}
	for i, list := range urls {
		chains[i].values[flag] = configfile.Value{Texts: list, IsList: true}
	}
	return nil
}

// errUnknown is the error of a chain that is not among the known ones.
func errUnknown(name string, chains []chain) error {
	if err := CheckChain(name); err != nil {
		return err
	}
	return fmt.Errorf("unknown chain %s: want a table [chains.%[1]s] in the file of --config, or --chain %[1]s=DSN%s", name, Suggestion(name, namesOf(chains)))
}

// check fails for flags that chains exclude, and for chains without a database of their own.
func (p *parsed) check(chains []chain) error {
	if at := p.flag("default-chain"); at != nil {
		if name, _ := p.line.FlagValue(at).(string); name != "" && !slices.Contains(namesOf(chains), name) {
			return p.wrong("default-chain", errUnknown(name, chains))
		}
	}
	if len(chains) > 0 && p.given(p.flag("db")) != nil {
		return p.wrong("db", errBeside)
	}
	of := map[string]string{}
	for _, k := range chains {
		db, ok := k.values["db"]
		err := database.CheckDSN(strings.Join(db.Texts, ""))
		dsn := sameDSN(strings.Join(db.Texts, ""))
		switch {
		case !ok:
			return p.file.errorAt(k.line, fmt.Errorf("[chains.%s] has no db: want its database, or --chain %[1]s=DSN", k.name))
		case err != nil:
			err = fmt.Errorf("chain %s: db: %w", k.name, err)
		case of[dsn] != "":
			err = fmt.Errorf("chain %s has the database of chain %s: want one for each", k.name, of[dsn])
		}
		if err != nil && db.Line > 0 {
			return p.file.errorAt(db.Line, err)
		} else if err != nil {
			return Error("--chain", err)
		}
		of[dsn] = k.name
	}
	return nil
}

// sameDSN returns a text that is equal for DSNs of one database, as far as that can be seen.
func sameDSN(dsn string) string {
	path := database.PathOf(dsn)
	if whole, err := filepath.Abs(path); path != "" && err == nil {
		return whole
	}
	return dsn
}
