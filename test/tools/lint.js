/** Prints what graphql-eslint finds in a schema, or in a folder of documents: `node lint.js schema.graphql`. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseForESLint, rules } from '@graphql-eslint/eslint-plugin';
import { Linter } from 'eslint';

const ROOT = new URL('../../', import.meta.url);
const pathOf = (name) => fileURLToPath(new URL(name, ROOT));
const read = (name) => readFileSync(pathOf(name), 'utf8');

/** Rules of graphql-eslint that contradict the conventions of docs/graphql.md, with the reason. */
const OTHERWISE = {
  'lone-executable-definition': 'acts of the console stand in one file',
  'match-document-filename': 'files are named for screens',
  'no-one-place-fragments': 'a fragment names a part of a screen',
  'no-typename-prefix': 'a raw id has its name everywhere: `personId` of `Person` (decision 0076)',
  'no-unused-fields': 'fields are for the clients of others',
  'relay-edge-types': 'short lists are plain lists, not only edges',
  'require-field-of-type-query-in-mutation-result':
    'a payload has the changed record, which caches merge by `id`',
  'require-nullable-result-in-root':
    'payloads of mutations are never null; their objects are (decision 0070)',
  'require-selections': 'the console keeps no cache, so its documents need no `id`',
  'strict-id-in-types': 'plain values have no `id` (decision 0076)',
};
/** Rules that say nothing without options: each wants an order or a limit of its own, which the gateway does not have. */
const SILENT = [
  ...['alphabetize', 'input-name', 'naming-convention', 'no-root-type', 'require-import-fragment'],
  'selection-set-depth',
];

const OPTIONS = {
  'require-description': [
    {
      types: true,
      rootField: true,
      FieldDefinition: true,
      EnumValueDefinition: true,
      InputValueDefinition: true,
    },
  ],
};

/** Both schemas and all documents by the rules of a category that do not contradict ours. */
function lint(name) {
  const isFolder = !name.endsWith('.graphql');
  const category = isFolder ? 'operations' : 'schema';
  const schemaFile = isFolder ? 'schema.operator.graphql' : name;
  const texts = isFolder
    ? readdirSync(pathOf(name)).map((file) => [file, read(`${name}/${file}`)])
    : [[name, read(name)]];
  const used = Object.entries(rules).filter(
    ([rule, { meta }]) =>
      !(rule in OTHERWISE) &&
      !SILENT.includes(rule) &&
      [meta.docs.category].flat().some((each) => each.toLowerCase() === category),
  );
  const config = [
    {
      files: ['**/*.graphql'],
      plugins: { graphql: { rules } },
      languageOptions: {
        parser: { parseForESLint },
        parserOptions: {
          graphQLConfig: {
            schema: pathOf(schemaFile),
            documents: isFolder ? pathOf(`${name}/*.graphql`) : undefined,
          },
        },
      },
      rules: Object.fromEntries(
        used.map(([rule]) => [`graphql/${rule}`, ['error', ...(OPTIONS[rule] ?? [])]]),
      ),
    },
  ];
  return texts.flatMap(([file, text]) =>
    new Linter({ configType: 'flat', cwd: fileURLToPath(ROOT) })
      .verify(text, config, { filename: isFolder ? pathOf(`${name}/${file}`) : pathOf(file) })
      .map(({ ruleId, line, message }) => `${file}:${line} ${ruleId}: ${message}`),
  );
}

for (const each of lint(process.argv[2])) process.stdout.write(`${each}\n`);
