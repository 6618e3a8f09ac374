package flags

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"mintburn/internal/configfile"
	"mintburn/internal/reload"
)

// ConfigFile holds the flags of a configuration file. A key outside tables sets the flag in
// every command that has it, like MINTBURN_FLAG. A key in a command's table sets the flag in
// that command, like MINTBURN_COMMAND_FLAG. A key in a table [chains.NAME] sets the flag for that
// chain, and overrides all others.
type ConfigFile struct {
	path string
	// chains are the tables of chains.
	chains []configfile.Table
	// values are keyed by the names of the table, or "", and the flag.
	values map[[2]string]configfile.Value
}

// ReadConfig reads a configuration file. It fails for keys that are not flags and values that
// a flag does not accept, even those of commands that are not running.
func ReadConfig(path string, model *kong.Application) (*ConfigFile, error) {
	text, err := reload.Read(path, configfile.MaxSize)
	if err != nil {
		return nil, Error("--config", err)
	}
	c := &ConfigFile{path: path, values: map[[2]string]configfile.Value{}}
	tables, values, err := configfile.Read(text)
	if at := new(configfile.Error); errors.As(err, &at) {
		return nil, c.errorAt(at.Line, errors.New(at.Message))
	} else if err != nil {
		return nil, fmt.Errorf("--config: %s: %w", path, err)
	}
	commands := CommandNames(model)
	for _, table := range tables {
		if name, of := strings.CutPrefix(table.Name, configfile.Chains); of {
			if err := CheckChain(name); err != nil {
				return nil, c.errorAt(table.Line, fmt.Errorf("[%s]: %w", table.Name, err))
			}
			c.chains = append(c.chains, table)
			continue
		}
		if table.Name+"." == configfile.Chains {
			return nil, c.errorAt(table.Line, errors.New("[chains]: want a table [chains.NAME] for each chain"))
		}
		if !slices.Contains(commands, table.Name) {
			return nil, c.errorAt(table.Line, fmt.Errorf("[%s] is not a command%s", table.Name, Suggestion(table.Name, commands)))
		}
	}
	for _, v := range values {
		flags, err := flagsOf(model, v.Table, v.Key)
		for _, flag := range flags {
			if err == nil {
				err = checkValue(flag, v)
			}
		}
		if err == nil && len(c.chains) > 0 && !strings.HasPrefix(v.Table, configfile.Chains) {
			err = checkBeside(v)
		}
		if err != nil {
			return nil, c.errorAt(v.Line, err)
		}
		c.values[[2]string{v.Table, v.Key}] = v
	}
	return c, nil
}

// Chains returns the names of the tables [chains.NAME], in order.
func (c *ConfigFile) Chains() (names []string) {
	for _, table := range c.chains {
		names = append(names, strings.TrimPrefix(table.Name, configfile.Chains))
	}
	return names
}

func (c *ConfigFile) errorAt(line int, err error) error {
	return fmt.Errorf("--config: %s, line %d: %w", c.path, line, err)
}

// InConfig reports whether a configuration file may set a flag.
func InConfig(flag *kong.Flag) bool { return len(flag.Envs) > 0 && flag.Name != "config" }

// flagsOf returns the flags that a key sets, in the table of a command or outside tables.
// It fails if there are none.
func flagsOf(model *kong.Application, table, key string) (found []*kong.Flag, err error) {
	if strings.HasPrefix(table, configfile.Chains) {
		flag, err := chainFlag(model, key)
		return []*kong.Flag{flag}, err
	}
	var known []string
	for _, node := range append([]*kong.Node{model.Node}, model.Children...) {
		if table != "" && (node.Name != table || node.Type != kong.CommandNode) {
			continue
		}
		for _, flag := range node.Flags {
			if !InConfig(flag) || table == "" && slices.Contains(PerCommand, flag.Name) {
				continue
			}
			known = append(known, flag.Name)
			if flag.Name == key {
				found = append(found, flag)
			}
		}
	}
	switch {
	case found != nil:
		return found, nil
	case table != "":
		return nil, fmt.Errorf("mintburn %s has no flag %s%s", table, key, Suggestion(key, known))
	case slices.Contains(PerCommand, key):
		return nil, fmt.Errorf("%s has a different meaning in each command: want it in a table, such as [export]", key)
	default:
		return nil, fmt.Errorf("no command has a flag %s%s", key, Suggestion(key, known))
	}
}

// checkValue fails for a value that a flag does not accept.
func checkValue(flag *kong.Flag, v configfile.Value) error {
	if v.IsList && !flag.IsSlice() {
		return fmt.Errorf("--%s: got a list, want one value", flag.Name)
	}
	if accepted := Values(flag.Value); accepted != nil && !slices.Contains(accepted, v.Texts[0]) {
		return fmt.Errorf("--%s: got %q, want %s", flag.Name, v.Texts[0], oneOf(accepted))
	}
	// Parse marks the value as set, so parse a copy.
	value := *flag.Value
	return value.Parse(kong.Scan().PushTyped(resolved(&value, v), kong.FlagValueToken), reflect.New(flag.Target.Type()).Elem())
}

// resolved returns a value in the form that kong expects from a [kong.Resolver].
func resolved(flag *kong.Value, v configfile.Value) any {
	if !v.IsList {
		return v.Texts[0]
	}
	if flag.Tag.Sep != -1 {
		return kong.JoinEscaped(v.Texts, flag.Tag.Sep)
	}
	list := make([]any, len(v.Texts))
	for i, text := range v.Texts {
		list[i] = text
	}
	return list
}

// of returns the value of a command's flag. ok is false if the file has none, or an empty
// list.
func (c *ConfigFile) of(command *kong.Node, flag *kong.Flag) (v configfile.Value, ok bool) {
	if command.Type == kong.CommandNode {
		v, ok = c.values[[2]string{command.Name, flag.Name}]
	}
	if !ok {
		v, ok = c.values[[2]string{"", flag.Name}]
	}
	return v, ok && len(v.Texts) > 0
}

// Validate implements [kong.Resolver].
func (c *ConfigFile) Validate(*kong.Application) error { return nil }

// Resolve implements [kong.Resolver]. Variables override the file.
func (c *ConfigFile) Resolve(_ *kong.Context, at *kong.Path, flag *kong.Flag) (any, error) {
	v, ok := c.of(at.Node(), flag)
	if !ok || variableOf(flag) != "" {
		return nil, nil
	}
	return resolved(flag.Value, v), nil
}

// variableOf returns the environment variable that sets a flag, or "".
func variableOf(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}
