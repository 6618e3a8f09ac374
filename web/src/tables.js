// The lists of an answer as tables.

// tablesOf returns the lists of objects in the data of an answer, but not those inside of another list.
// Each is a table with its path as the name, its columns, and its rows of texts; null is null.
export function tablesOf(data, path = []) {
  return Object.entries(data ?? {}).flatMap(([key, value]) => {
    const at = [...path, key];
    if (Array.isArray(value)) return value.some(isObject) ? [tableOf(at.join('.'), value)] : [];
    return isObject(value) ? tablesOf(value, at) : [];
  });
}

function tableOf(name, list) {
  const items = list.map((item) => new Map(cellsOf(item)));
  const columns = [...new Set(items.flatMap((item) => [...item.keys()]))];
  return { name, columns, rows: items.map((item) => columns.map((column) => item.get(column) ?? null)) };
}

// cellsOf returns the columns of an object and their texts. An object inside of it has its own columns,
// a list is JSON.
function cellsOf(item, prefix = '') {
  return Object.entries(item ?? {}).flatMap(([key, value]) => {
    if (isObject(value)) return cellsOf(value, `${prefix}${key}.`);
    return [[prefix + key, value === null || typeof value === 'string' ? value : JSON.stringify(value)]];
  });
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

// csvOf returns a table as CSV (RFC 4180, with line feeds), in the form of `mintburn export`: null is
// empty, an empty text is "". An apostrophe keeps a spreadsheet from running a text as a formula.
export const csvOf = ({ columns, rows }) => [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');

function field(value) {
  if (value === null) return '';
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return text === '' || /[",\r\n \t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// download saves a file.
export function download(name, blob) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

// csvFile returns a table as a CSV file.
export const csvFile = (table) => new Blob([csvOf(table)], { type: 'text/csv' });
