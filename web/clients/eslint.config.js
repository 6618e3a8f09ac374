// Enables every rule of @graphql-eslint for schemas and for Relay, except those below.
import path from 'node:path';

import graphql from '@graphql-eslint/eslint-plugin';

const schema = path.join(import.meta.dirname, '..', '..', 'schema.graphqls');

const exceptions = {
  // Fields are in the order of the documented records, which is easier to read.
  '@graphql-eslint/alphabetize': 'off',
  // Most descriptions fit on one line.
  '@graphql-eslint/description-style': 'off',
  // EIP-155 calls it the chain id, and "id" is the id of a Node.
  '@graphql-eslint/no-typename-prefix': 'off',
  // The rule forbids subscriptions by default.
  '@graphql-eslint/no-root-type': ['error', { disallow: ['mutation'] }],
  // These types are parts of other objects, without their own identity.
  '@graphql-eslint/strict-id-in-types': [
    'error',
    { exceptions: { types: ['Attribute', 'Block', 'BlockProof', 'BlockRange', 'BlocksFinalized', 'BlocksVoided', 'Bucket', 'Chain', 'ChangeBatch', 'CollectionMetadata', 'Digest', 'DocumentCounts', 'Endpoint', 'Gap', 'MetadataChanged', 'MetadataVersion', 'PageInfo', 'RecordAdded', 'Trait', 'TraitValue', 'Transaction', 'TransactionDetails', 'UnprovableRange'], suffixes: ['Connection', 'Edge'] } },
  ],
  // Connections have the documented list "data" in addition to Relay's "edges", and short
  // lists, such as a token's attributes, have no pages.
  '@graphql-eslint/relay-edge-types': [
    'error',
    { withEdgeSuffix: true, shouldImplementNode: true, listTypeCanWrapOnlyEdgeType: false },
  ],
};

// Stricter than the plugin's default: everything must have a description.
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
