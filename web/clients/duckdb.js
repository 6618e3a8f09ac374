// Implements the part of the duckdb command that docs/data.md uses:
// duckdb [-json | -list] FILE SQL. It runs the statements and prints the rows of the last
// one, as JSON or, with -list, with one value a line.
import { DuckDBInstance } from '@duckdb/node-api';

const args = process.argv.slice(2);
const mode = args[0].startsWith('-') ? args.shift() : '-list';
const database = await DuckDBInstance.create(args[0]);
const connection = await database.connect();
const rows = (await connection.runAndReadAll(args[1])).getRowObjectsJson();
if (mode === '-json') {
  console.log(JSON.stringify(rows));
} else {
  for (const row of rows) console.log(Object.values(row).join('\n'));
}
connection.closeSync();
database.closeSync();
