// Package storetest gives tests new databases that have their tables: a process migrates
// one of each sort and copies it, which takes a tenth of the time.
//
// It promises that what a test writes is seen by that test alone. Tests of migrations, and
// of what a command does with a new file, name an empty database instead.
//
// Start with storetest.go, which is all: [Each] runs a test on both sorts.
package storetest
