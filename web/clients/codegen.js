// Configures graphql-codegen for the schema and the operations in codegen/. Integers beyond
// the range of JavaScript numbers are strings in results; BlockNumberOrHash is only an
// input.
const scalars = {
  Address: 'string',
  Bytes: 'string',
  Bytes32: 'string',
  BigInt: { input: 'string | number', output: 'string' },
  Long: { input: 'string | number', output: 'number' },
  BlockNumberOrHash: { input: 'string | number', output: 'never' },
  Cursor: 'string',
};

export default {
  schema: '../../schema.graphqls',
  documents: 'codegen/*.ts',
  generates: {
    'generated/codegen/': { preset: 'client', config: { scalars, strictScalars: true, enumsAsTypes: true, useTypeImports: true } },
  },
};
