/** The interfaces that docs/versions.md calls stable, as they are in this checkout. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { crossrampProgram } from '../../src/cli/program.ts';
import { asyncApiDocument } from '../../src/rest-compat/asyncapi.ts';
import { openApiDocument } from '../../src/rest-compat/openapi.ts';
import { restRoutes } from '../../src/rest-compat/routes.ts';
import { merchantContract } from '../../src/schema/contracts.ts';
import { buildSchema, schemaText } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

/** A command: what it is called with. */
export interface CommandForm {
  /** Arguments in their order; `<id>` is required, `[id]` is not. */
  readonly arguments: readonly string[];
  /** Options by their long name; whether one is required. */
  readonly options: Readonly<Record<string, boolean>>;
}

/** All of them, as data. */
export interface Interfaces {
  /** GraphQL as text: the merchants' contract, and all of it. */
  readonly graphql: string;
  readonly graphqlOperator: string;
  readonly openapi: object;
  readonly asyncapi: object;
  readonly commands: Readonly<Record<string, CommandForm>>;
  /** Names of settings. */
  readonly settings: readonly string[];
}

const ROOT = new URL('../../', import.meta.url);
const PUBLIC_URL = 'http://localhost:4000';

/** @returns the interfaces of this checkout. */
export async function presentInterfaces(): Promise<Interfaces> {
  const schema = buildSchema(REGISTRY);
  const policy = { exactIntegers: false, limitOverflow: 'clamp', strictQuery: false } as const;
  const routes = restRoutes(REGISTRY, policy);
  return {
    graphql: schemaText(merchantContract(schema)),
    graphqlOperator: schemaText(schema),
    openapi: openApiDocument(REGISTRY, routes, PUBLIC_URL),
    asyncapi: asyncApiDocument(REGISTRY, PUBLIC_URL, policy),
    commands: Object.fromEntries(commandsOf(await crossrampProgram())),
    settings: settingsIn(readFileSync(new URL('.env.example', ROOT), 'utf8')),
  };
}

function commandsOf(command: Command, path: readonly string[] = []): [string, CommandForm][] {
  const own: [string, CommandForm][] = path.length === 0 ? [] : [[path.join(' '), formOf(command)]];
  return [
    ...own,
    ...(command.commands as Command[]).flatMap((each) => commandsOf(each, [...path, each.name()])),
  ];
}

function formOf({ registeredArguments, options }: Command): CommandForm {
  return {
    arguments: registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`)),
    options: Object.fromEntries(
      options.map(({ long, short, mandatory }) => [long ?? short ?? '', mandatory]),
    ),
  };
}

function settingsIn(example: string): string[] {
  return [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name as string);
}
