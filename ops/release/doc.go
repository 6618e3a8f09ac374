// Command release builds the Linux archives and Debian packages of a release from the
// checked-out commit into dist/. Two builds of one commit with the same version of Go are
// equal byte for byte: nothing in them depends on the folder, the machine, the user or the
// time. It needs git, the npm packages in its folder (npm ci) and the built page; `make
// release` provides the last two.
//
// Start with main.go. build.go builds and inspects the programs, contents.go collects the
// other files, sbom.go lists the components, archive.go writes the archives, and deb.go the
// packages. Its argument size prints what each part of the program takes instead: size.go.
package main
