// graphql-codegen: types of the schema, and of the operations in codegen/.
// What numbers cannot hold is text in the answers; BlockNumberOrHash is never in
// one.
const scalars = {
  Address: 'string',
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
