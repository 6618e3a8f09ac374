// Replaces Relay's Babel plugin: returns the compiled artifact for each graphql tag.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

const folder = new URL('../generated/relay/', import.meta.url);
const require = createRequire(folder);

const artifacts = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql.js'))
    .map((file) => [file.replace('.graphql.js', ''), require(`./${file}`)]),
);

export function graphql([text]) {
  return artifacts.get(/(?:query|fragment|subscription) (\w+)/.exec(text)[1]);
}
