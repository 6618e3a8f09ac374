//go:build !linux && !darwin

package newfile

import "os"

func hold(*os.File) {}

// free returns false: only Linux and macOS lock files here.
func free(string) bool { return false }

func release(*os.File) {}

func tryHold(*os.File) bool { return true }
