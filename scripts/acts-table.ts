/** Writes the tables of docs/security.md: every act with the scope that it needs and where it can be asked for; every role. */
import { readFileSync, writeFileSync } from 'node:fs';
import { ACTS, type Act } from '../src/base/acts.ts';
import type { Scope } from '../src/base/api-key.ts';
import { describeRole, ROLE_NAMES, type Role, scopesOf } from '../src/base/roles.ts';
import { COMMAND_ACTS } from '../src/cli/command-acts.ts';
import { OPERATIONS } from '../src/console/operations.ts';
import { PAGE_ACTS } from '../src/pages/acts.ts';
import { restRoutes } from '../src/rest-compat/routes.ts';
import { REGISTRY } from '../src/templates/index.ts';

/** Where it stands. */
const DOCUMENT = new URL('../docs/security.md', import.meta.url);
const PLACE = /(<!-- acts, written by npm run acts -->\n)[\s\S]*?(<!-- end of acts -->)/;
const HEAD =
  '| Act | Scope | Roles | What it does | GraphQL | `/v2` | Page | Console | `crossramp` |\n|---|---|---|---|---|---|---|---|---|\n';

const ROLES_PLACE = /(<!-- roles, written by npm run acts -->\n)[\s\S]*?(<!-- end of roles -->)/;
const ROLES_HEAD = '| Role | Scopes | What it is for |\n|---|---|---|\n';

/** @returns the document with the tables as the code has them. */
export function withActs(document: string): string {
  return document
    .replace(PLACE, (_all, begin: string, end: string) => `${begin}${HEAD}${rows()}${end}`)
    .replace(ROLES_PLACE, (_all, begin: string, end: string) => `${begin}${ROLES_HEAD}${roles()}${end}`);
}

function roles(): string {
  const each = (role: Role) =>
    `| \`${role}\` | ${scopesOf(role)
      .map((scope) => `\`${scope}\``)
      .join(' ')} | ${describeRole(role)} |\n`;
  return ROLE_NAMES.map(each).join('');
}

/** The roles that have the scope; `read` has every one. */
function rolesWith(scope: Scope): string {
  const own = ROLE_NAMES.filter((role) => scopesOf(role).includes(scope));
  return own.length === ROLE_NAMES.length ? 'all' : own.map((role) => `\`${role}\``).join(' ');
}

const CONSOLE_FORMS = [...OPERATIONS.values()].filter(({ isMutation }) => isMutation);

function rows(): string {
  const policy = { limitOverflow: 'clamp', strictQuery: false, exactIntegers: false } as const;
  const routes = [...restRoutes(REGISTRY, policy).values()];
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(' ');
  return Object.entries<Act>(ACTS)
    .map(([name, { scope, description, mutations }]) => {
      const paths = routes.filter(({ act }) => act === name).map(({ path }) => path.replace('/v2', ''));
      const forms = Object.entries<readonly string[]>(PAGE_ACTS).flatMap(([form, acts]) =>
        acts.includes(name) ? [form] : [],
      );
      const screens = CONSOLE_FORMS.filter(({ field }) => mutations.includes(field)).map((form) => form.name);
      const commands = Object.keys(COMMAND_ACTS).filter((command) => COMMAND_ACTS[command] === name);
      const places = [mutations, paths, forms, screens, commands].map(code).join(' | ');
      return `| \`${name}\` | \`${scope}\` | ${rolesWith(scope)} | ${description} | ${places} |\n`;
    })
    .join('');
}

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, withActs(readFileSync(DOCUMENT, 'utf8')));
