// Command release builds the archives of a release for Linux, from the commit that is
// checked out, into dist/. It promises that two builds of one commit with one version of
// Go are equal byte for byte: nothing in them depends on the folder, the machine, the user
// or the time. It needs git, npm's packages beside it (npm ci) and the built page; `make
// release` provides both.
//
// Start with main.go. build.go builds and examines the programs, contents.go gathers what
// goes beside them, sbom.go lists what they are made of, archive.go writes.
package main
