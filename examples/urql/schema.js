// Writes src/generated/schema.json, the schema in the form that urql's cache reads.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospectionQuery } from '@urql/introspection';
import { buildSchema, introspectionFromSchema } from 'graphql';

const text = readFileSync(new URL('../../schema.graphqls', import.meta.url), 'utf8');
const folder = new URL('src/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('schema.json', folder), JSON.stringify(minifyIntrospectionQuery(introspectionFromSchema(buildSchema(text)))));
