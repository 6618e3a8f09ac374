// Builds the page (GraphiQL at /, Explore at /explore) into
// ../internal/httpapi/page/assets/built, which the Go binary embeds. Every file name contains a
// hash, and there is one with .br and one with .gz. The Go side looks for page-HASH.js, page-HASH.css, explore-HASH.js,
// explore-HASH.css, licences-HASH.txt and documents-HASH.json.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { documents } from './src/explore/queries.js';

const web = path.dirname(fileURLToPath(import.meta.url));
const built = path.join(web, '..', 'internal', 'httpapi', 'page', 'assets', 'built');

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
async function writeLicences(metafiles) {
  const folders = new Map();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
        const found = bytesInOutput > 0 && /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file);
        if (found) folders.set(found[1], path.join(web, found[0]));
      }
    }
  }
  const parts = [];
  for (const [name, folder] of [...folders].sort()) {
    const { version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(path.join(folder, file), 'utf8') : '';
    parts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  await writeHashed('licences', 'txt', parts.join(`\n${'-'.repeat(78)}\n\n`));
}

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

// writeHashed writes a file whose name contains a hash.
const writeHashed = (name, extension, content) => writeFile(path.join(built, `${name}-${sha256(content).slice(0, 8).toUpperCase()}.${extension}`), content);

await rm(built, { recursive: true, force: true });
await mkdir(built, { recursive: true });

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

const explore = await build({ ...common, format: 'esm', jsxImportSource: 'preact', entryPoints: ['src/explore/explore.jsx'] });

// The documents that Explore sends, by their SHA-256: the manifest of those that a server trusts.
await writeHashed('documents', 'json', JSON.stringify(Object.fromEntries(Object.values(documents).map((text) => [sha256(text), text]))));

await writeLicences([workers.metafile, page.metafile, explore.metafile]);

// The binary embeds only the compressed files.
for (const name of await readdir(built)) {
  const file = path.join(built, name);
  const content = await readFile(file);
  await writeFile(`${file}.br`, brotliCompressSync(content));
  await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
  await rm(file);
}
