// Command bench compares the server with others that answer the same requests from
// the same records. See docs/performance.md.
package main
