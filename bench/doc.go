// Command bench measures the server against others that answer the same
// requests from the same records: see docs/performance.md.
package main
