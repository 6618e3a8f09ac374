// Configures graphql-codegen's client preset for the schema and the operations in src/.
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
  documents: 'src/codegen.ts',
  // Node.js requires file extensions in imports.
  importExtension: '.js',
  generates: {
    'src/generated/codegen/': { preset: 'client', config: { scalars, strictScalars: true, enumsAsTypes: true, useTypeImports: true, documentMode: 'string' } },
  },
};
