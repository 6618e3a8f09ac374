package flags

import (
	"github.com/alecthomas/kong"
)

// ConfigFlag is the path of a configuration file.
type ConfigFlag string

// BeforeResolve makes kong read flags from the file.
func (ConfigFlag) BeforeResolve(line *kong.Context, at *kong.Path, chains *Chains) error {
	// The flag's variable is not set yet if the flag was an argument.
	path, _ := line.FlagValue(at.Flag).(ConfigFlag)
	if path == "" || IsDoctor(line.Selected()) {
		return nil
	}
	if chains.File == nil {
		file, err := ReadConfig(string(path), line.Model)
		if err != nil {
			return err
		}
		chains.File = file
	}
	line.AddResolver(chains.File)
	return nil
}
