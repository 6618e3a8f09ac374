// Package storetest creates migrated databases for tests. A process migrates one database
// of each kind and copies it, which takes a tenth of the time.
//
// A test sees only its own writes. Tests of migrations, and of commands on a new file, use
// an empty database instead.
//
// Start with storetest.go, the only file: [Each] runs a test on both kinds.
package storetest
