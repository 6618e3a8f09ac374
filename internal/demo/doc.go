// Package demo embeds a small recorded chain, so that a newcomer's first command
// needs no network.
//
// The recording is an ordinary import file, data that a program has written once. It tells five
// weeks of a chain that nobody ran (chain id 31337):
//
//   - Drift: hidden tokens and their reveal.
//   - Five Mondays: an open edition of ERC-1155. Five prints are burned for another one.
//   - Sparks: an EIP-2309 mint. Three are burned for a token of Embers.
//   - Night Garden: grows up to the last block, and [Live] continues it, by garden.go.
//   - A contract without a name, whose tokens have no documents.
//
// Blocks have the hashes and roots that their contents demand, so they can be proved. Their
// transactions have no signatures and no input.
package demo
