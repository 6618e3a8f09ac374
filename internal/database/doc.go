// Package database is what package store and the code that ent generates need
// of a database, whatever its tables: rows as the driver gives them, and a
// cache of statement texts.
//
// It exists because database/sql starts a goroutine for each statement and
// converts each value by reflection, which takes as long as a page takes the
// database; and because ent takes as long to build a statement. [Query] runs a
// statement on the driver, [Row] checks and reads its values, [Statements]
// keeps its text. Open row.go first.
//
// It knows no table and imports nothing of this project.
package database
