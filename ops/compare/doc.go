// Compare proves that a change of the source changed no byte of what users see: it fills databases
// with two programs from the same recordings, and sends both the same requests and commands.
//
//	go run ./ops/compare [-records 1000000] [-n 2000] [-seed 1] [-postgres new] OLD NEW
//
// Run it in the root of the repository, whose documents, tests, examples and scripts are the source
// of the requests. Known addresses, ids and cursors come from the program OLD. Each difference is
// printed with its first position; those that meant.txt lists are counted apart. The exit code is 1
// if another one exists. Start with main.go; masks.go lists what two runs of one program may differ
// in.
package main
