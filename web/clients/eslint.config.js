// Every rule of @graphql-eslint for schemas and for Relay, with the exceptions
// that are named here.
import path from 'node:path';

import graphql from '@graphql-eslint/eslint-plugin';

const schema = path.join(import.meta.dirname, '..', '..', 'schema.graphqls');

const exceptions = {
  // The order of fields is that of the documented records, and of reading.
  '@graphql-eslint/alphabetize': 'off',
  // Most descriptions take one line, and are written on one.
  '@graphql-eslint/description-style': 'off',
  // Chain.chainId is EIP-155's name for it, and id is what names nodes.
  '@graphql-eslint/no-typename-prefix': 'off',
  // Parts of other objects, with no identity of their own.
  '@graphql-eslint/strict-id-in-types': [
    'error',
    { exceptions: { types: ['Attribute', 'Block', 'BlockRange', 'Bucket', 'Chain', 'DocumentCounts', 'Endpoint', 'Gap', 'PageInfo', 'UnprovableRange'], suffixes: ['Connection', 'Edge'] } },
  ],
  // Pages have the documented list "data" beside Relay's "edges", and a short
  // list such as a token's attributes has no pages.
  '@graphql-eslint/relay-edge-types': [
    'error',
    { withEdgeSuffix: true, shouldImplementNode: true, listTypeCanWrapOnlyEdgeType: false },
  ],
};

// Stricter than the plugin's own choice: everything has a description.
const stricter = {
  '@graphql-eslint/require-description': [
    'error',
    { types: true, DirectiveDefinition: true, EnumValueDefinition: true, FieldDefinition: true, InputValueDefinition: true },
  ],
};

export default [
  {
    files: ['**/*.graphqls'],
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-all'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      ...exceptions,
      ...stricter,
    },
  },
];
