import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents of docs/examples, made from the committed schema; test/edges/examples.test.ts runs them. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'docs/examples/*.graphql',
  generates: {
    'test/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        importExtension: '.ts',
        scalars: { Decimal: 'string', DateTime: 'string' },
      },
    },
  },
};

export default config;
