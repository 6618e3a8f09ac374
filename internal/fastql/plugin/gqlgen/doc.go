// Command gqlgen is gqlgen's generator with the fastql plugin. It reads the
// gqlgen.yml of the working folder, or of the nearest one above it.
package main
