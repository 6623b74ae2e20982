import { readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { Kind, parse, print, visit } from 'graphql';

/** Reads that are null where there is no such record; every other is null only beside an error. */
const MAY_LACK = [
  'accountHolder',
  'customer',
  'flows',
  'houseDays',
  'node',
  'sandboxScenarios',
  'takings',
  'transaction',
];

/** Typed documents of docs/examples, which test/edges/examples.test.ts runs, and of the console, made from the committed schema. */
const config: CodegenConfig = {
  generates: {
    'test/generated/': typed('docs/examples/*.graphql'),
    'src/console/generated/': typed('src/console/documents/*.graphql'),
  },
};

/** The schema as those know it who stop at the first error of an answer: examples and the console do. */
function withoutErrors(): string {
  const text = readFileSync(new URL('schema.operator.graphql', import.meta.url), 'utf8');
  const document = visit(parse(text), {
    InterfaceTypeDefinition: () => false,
    ObjectTypeDefinition: (type) => (type.name.value === 'Query' ? undefined : false),
    FieldDefinition: (field) =>
      MAY_LACK.includes(field.name.value) || field.type.kind === Kind.NON_NULL_TYPE
        ? undefined
        : { ...field, type: { kind: Kind.NON_NULL_TYPE, type: field.type } },
  });
  return print(document);
}

function typed(documents: string): CodegenConfig['generates'][string] {
  return {
    schema: withoutErrors(),
    documents,
    preset: 'client',
    presetConfig: { fragmentMasking: false },
    config: {
      documentMode: 'string',
      enumsAsTypes: true,
      useTypeImports: true,
      importExtension: '.ts',
      scalars: { Date: 'string', DateTime: 'string', Decimal: 'string', JSONObject: 'object' },
    },
  };
}

export default config;
