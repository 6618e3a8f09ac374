// Mutate measures how much of the product its tests hold: it changes one place at a time, and
// lists the changes that no test notices.
//
//	go run ./ops/mutate [-n 200] [-seed 1] [-state FILE] [-only PACKAGE]
//
// The places are chosen by the seed from the packages in scope: a condition or an operator is
// flipped, a number grows by one, a statement is left out. Each runs the short tests of its package,
// and if they pass, of the packages that import it. A change that does not compile is no place; the
// next one takes its turn. Results are appended to the file of -state, whose places are not run
// again. No file of the source is written: go's -overlay replaces it.
package main
