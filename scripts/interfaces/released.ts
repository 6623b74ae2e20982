/** The interfaces of releases, one folder for each below `releases`; `npm run interfaces -- 1.0` writes those of this checkout. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Interfaces, presentInterfaces } from './interfaces.ts';

const FOLDER = new URL('../../releases/', import.meta.url);
const TEXTS = { graphql: 'schema.graphql', graphqlOperator: 'schema.operator.graphql' } as const;
const DATA = {
  openapi: 'openapi.json',
  asyncapi: 'asyncapi.json',
  commands: 'commands.json',
  settings: 'settings.json',
} as const;

/** @returns the interfaces of a release. */
export function releasedInterfaces(release: string): Interfaces {
  const read = (name: string) => readFileSync(new URL(`${release}/${name}`, FOLDER), 'utf8');
  const texts = Object.entries(TEXTS).map(([key, name]) => [key, read(name)]);
  const data = Object.entries(DATA).map(([key, name]) => [key, JSON.parse(read(name))]);
  return Object.fromEntries([...texts, ...data]);
}

async function writeInterfaces(release: string): Promise<void> {
  const present = await presentInterfaces();
  const folder = new URL(`${release}/`, FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const [key, name] of Object.entries(TEXTS))
    writeFileSync(new URL(name, folder), present[key as keyof typeof TEXTS]);
  for (const [key, name] of Object.entries(DATA))
    writeFileSync(new URL(name, folder), `${JSON.stringify(present[key as keyof typeof DATA], null, 1)}\n`);
}

const [, release] = process.argv.slice(process.argv.indexOf('--write'));
if (process.argv.includes('--write') && release) await writeInterfaces(release);
