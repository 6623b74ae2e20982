/** Writes schema.graphql, the committed text of the GraphQL schema. */
import { writeFileSync } from 'node:fs';
import { schemaText } from '../src/schema/index.ts';
import { REGISTRY } from '../src/templates/index.ts';

writeFileSync(new URL('../schema.graphql', import.meta.url), schemaText(REGISTRY));
