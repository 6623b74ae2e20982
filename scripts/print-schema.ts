/** Writes the committed texts of the GraphQL schema: schema.graphql for merchants, schema.operator.graphql with all of it. */
import { writeFileSync } from 'node:fs';
import { merchantContract } from '../src/schema/contracts.ts';
import { buildSchema, schemaText } from '../src/schema/index.ts';
import { REGISTRY } from '../src/templates/index.ts';

const schema = buildSchema(REGISTRY);
const texts = { 'schema.graphql': merchantContract(schema), 'schema.operator.graphql': schema };
for (const [name, each] of Object.entries(texts))
  writeFileSync(new URL(`../${name}`, import.meta.url), schemaText(each));
