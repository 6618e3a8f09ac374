// Checks compose.yaml with Compose's schema and dclint's rules, except style warnings, and what
// they do not cover.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const file = path.join(import.meta.dirname, '..', '..', 'compose.yaml');
const dclint = (of) => execFileSync(path.join(import.meta.dirname, 'node_modules', '.bin', 'dclint'), ['--quiet', of], { encoding: 'utf8', stdio: 'pipe' });

test('compose.yaml has no errors', () => {
  dclint(file);
});

test('an unknown key is an error', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const text = readFileSync(file, 'utf8');
  const changed = path.join(folder, 'compose.yaml');
  writeFileSync(changed, text.replace('read_only: true', 'readonly: true'));
  assert.notEqual(readFileSync(changed, 'utf8'), text);
  assert.throws(() => dclint(changed), ({ stdout }) => /additional properties/.test(stdout));
});

// matches returns the first group of each match in compose.yaml.
const matches = (pattern) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, group]) => group);

test('ports are open on this machine only', () => {
  const ports = matches(/ports: \["(.*?)"\]/g);
  assert.equal(ports.length, 3);
  for (const port of ports) {
    assert.match(port, /^127\.0\.0\.1:\d+:\d+$/);
  }
});

test('images of others have a version', () => {
  const images = matches(/image: (\S+:?\S*)/g).filter((image) => image !== 'mintburn');
  assert.equal(images.length, 3);
  for (const image of images) {
    assert.match(image, /:v?\d+/);
  }
});

test('mounted files exist and are read-only', () => {
  const mounts = matches(/- (\.\/\S+)/g);
  assert.equal(mounts.length, 4);
  for (const mount of mounts) {
    const [source, , mode] = mount.split(':');
    assert.ok(existsSync(path.join(path.dirname(file), source)), source);
    assert.equal(mode, 'ro');
  }
});

test('Prometheus scrapes the name of the server', () => {
  const [alias] = matches(/aliases: \[(\w+)\]/g);
  const scraped = readFileSync(path.join(path.dirname(file), 'ops', 'prometheus.yaml'), 'utf8');
  assert.match(scraped, new RegExp(`targets: \\["${alias}:8080"\\]`));
});
