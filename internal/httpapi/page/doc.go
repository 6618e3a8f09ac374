// Package page serves what a person opens in a browser: the Playground, GraphiQL, at / with example tabs, and
// Explore at /explore, with the files that both need below /assets/.
//
// It guarantees that:
//   - a page loads scripts, styles and data from this server only, by its content security
//     policy; images of tokens come from elsewhere only if the visitor asks for them;
//   - the example tabs select the documented fields, and run as they are if the database has an
//     example for each value;
//   - a binary without GraphiQL still serves an editor, and Explore.
//
// It never runs an operation: the scripts in the browser send them to the endpoint. It reads no
// database either; the values of the example tabs are given to it.
//
// Start with page.go, which registers the paths. policy.go has the policies, tabs.go writes the
// tabs. The scripts are in web/, and `make assets` builds them into assets.
package page
