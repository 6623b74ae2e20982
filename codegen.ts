import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents of docs/examples, which test/edges/examples.test.ts runs, and of the console, made from the committed schema. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  generates: {
    'test/generated/': typed('docs/examples/*.graphql'),
    'src/console/generated/': typed('src/console/documents/*.graphql'),
  },
};

function typed(documents: string): CodegenConfig['generates'][string] {
  return {
    documents,
    preset: 'client',
    presetConfig: { fragmentMasking: false },
    config: {
      documentMode: 'string',
      enumsAsTypes: true,
      useTypeImports: true,
      importExtension: '.ts',
      scalars: { Decimal: 'string', DateTime: 'string' },
    },
  };
}

export default config;
