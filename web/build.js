// Builds the page into ../internal/httpapi/page/assets, which the Go binary embeds: GraphiQL at / into
// built/, and Explore at /explore into explore/, which is committed. Every file name contains a hash,
// and there is one with .br and one with .gz. The Go side looks for page-HASH.js and page-HASH.css,
// for explore-HASH.js, explore-HASH.css and documents-HASH.json, and for licences-HASH.txt of both.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { documents } from './src/explore/queries.js';

const web = path.dirname(fileURLToPath(import.meta.url));
const assets = path.join(web, '..', 'internal', 'httpapi', 'page', 'assets');
const built = path.join(assets, 'built');
const committed = path.join(assets, 'explore');

const common = {
  absWorkingDir: web,
  outdir: built,
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  metafile: true,
  target: 'es2022',
  jsx: 'automatic',
  loader: { '.ttf': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
};

// edited edits files of packages: of the Monaco editor it leaves out comparing texts, and what no
// provider of the languages here exists for. GraphiQL derives the accessible names of its icons from
// the names of functions, which would take 45 kB if all functions kept them.
const edited = {
  name: 'edited',
  setup({ onLoad }) {
    const edit = (filter, change) =>
      onLoad({ filter }, async ({ path: file }) => {
        const text = await readFile(file, 'utf8');
        const contents = change(text);
        if (contents === text) throw new Error(`${file}: there is nothing to edit any more`);
        return { contents };
      });
    const unused =
      /^import '.*\/(codeAction|codelens|colorPicker|diffEditor|diffEditorBreadcrumbs|dropOrPasteInto|inPlaceReplace|inlayHints|inlineCompletions|inlineEdits?|linkedEditing|parameterHints|rename|sectionHeaders|semanticTokens|stickyScroll)\/.*\n|^import '.*suggestInlineCompletions.*\n/gm;
    edit(/monaco-editor\/esm\/vs\/editor\/editor\.all\.js$/, (text) => text.replace(unused, ''));
    edit(/\/diffEditorWidget\.js$/, () => 'export class DiffEditorWidget {}');
    edit(/\/multiDiffEditorWidget\.js$/, () => 'export class MultiDiffEditorWidget {}');
    edit(/@graphiql\/react\/dist\/icons\/index\.js$/, (text) =>
      text.replace(/generateIcon\((Svg\w+)\)/g, 'generateIcon($1, "$1")').replace('generateIcon(RawComponent)', 'generateIcon(RawComponent, name)').replaceAll('RawComponent.name', 'name'),
    );
  },
};

// outputOf returns the hashed file name of a built entry point.
function outputOf(metafile, entryPoint) {
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (output.entryPoint === entryPoint) return path.basename(file);
  }
  throw new Error(`nothing was built from ${entryPoint}`);
}

// writeLicences collects the licence of every bundled npm package, because most licences
// must accompany every copy, and the binary is a copy.
async function writeLicences(folder, metafiles) {
  const packages = new Map();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const found = bytesInOutput > 0 && /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
        if (found) packages.set(found[1], path.join(web, found[0]));
      }
    }
  }
  const parts = [];
  for (const [name, at] of [...packages].sort()) {
    const { version, license } = JSON.parse(await readFile(path.join(at, 'package.json'), 'utf8'));
    const file = (await readdir(at)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(path.join(at, file), 'utf8') : '';
    parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  await writeHashed(folder, 'licences', 'txt', parts.join(`\n${'-'.repeat(78)}\n\n`));
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// writeHashed writes a file whose name contains a hash.
const writeHashed = (folder, name, extension, content) => writeFile(path.join(folder, `${name}-${sha256(content).slice(0, 8).toUpperCase()}.${extension}`), content);

// Compressed bytes depend on the version of Node, and the built text doesn't: an old compressed file
// with the same text stays, so that each machine builds the same files.
const old = new Map();
for (const folder of [built, committed]) {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    old.set(file, await readFile(file));
    await rm(file);
  }
}

const workerEntries = {
  editor: 'node_modules/monaco-editor/esm/vs/editor/editor.worker.js',
  json: 'node_modules/monaco-editor/esm/vs/language/json/json.worker.js',
  graphql: 'node_modules/monaco-graphql/esm/graphql.worker.js',
};
const workers = await build({ ...common, format: 'iife', entryPoints: Object.values(workerEntries) });
const workerFiles = Object.fromEntries(
  Object.entries(workerEntries).map(([label, entry]) => [label, outputOf(workers.metafile, entry)]),
);

const page = await build({
  ...common,
  format: 'esm',
  entryPoints: ['src/page.jsx'],
  // What GraphiQL imports late, such as the languages of its editor, has files of its own.
  splitting: true,
  plugins: [edited],
  chunkNames: '[name]-[hash]',
  define: { ...common.define, WORKER_FILES: JSON.stringify(workerFiles) },
});

// The style of the page already contains that of the late files.
const style = path.basename(Object.values(page.metafile.outputs).find(({ entryPoint }) => entryPoint === 'src/page.jsx').cssBundle);
for (const name of await readdir(built)) if (name.endsWith('.css') && name !== style) await rm(path.join(built, name));

const explore = await build({ ...common, outdir: committed, format: 'esm', jsxImportSource: 'preact', entryPoints: ['src/explore/explore.jsx'] });

// The documents that Explore sends, by their SHA-256: the manifest of those that a server trusts.
await writeHashed(committed, 'documents', 'json', JSON.stringify(Object.fromEntries(Object.values(documents).map((text) => [sha256(text), text]))));

await writeLicences(built, [workers.metafile, page.metafile]);
await writeLicences(committed, [explore.metafile]);

// The binary embeds only the compressed files.
const decodes = (decompress, bytes, content) => {
  try {
    return decompress(bytes).equals(content);
  } catch {
    return false; // An interrupted build left a part.
  }
};
const codings = { br: [brotliDecompressSync, brotliCompressSync], gz: [gunzipSync, (content) => gzipSync(content, { level: 9 })] };
for (const folder of [built, committed]) {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const content = await readFile(file);
    for (const [extension, [decompress, compress]] of Object.entries(codings)) {
      const before = old.get(`${file}.${extension}`);
      await writeFile(`${file}.${extension}`, before && decodes(decompress, before, content) ? before : compress(content));
    }
    await rm(file);
  }
}
