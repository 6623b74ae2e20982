/**
 * Writes the tables of docs/security.md: every action with the scope that it needs and where it can be asked for; every
 * role; and every way in which money leaves, from the machines, with its rule.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ACTIONS, type Action } from '../src/base/access/actions.ts';
import type { Scope } from '../src/base/access/api-key.ts';
import { describeRole, ROLE_NAMES, type Role, scopesOf } from '../src/base/access/roles.ts';
import { COMMAND_ACTIONS } from '../src/cli/command-actions.ts';
import { OPERATIONS } from '../src/console/operations.ts';
import { PAGE_ACTIONS } from '../src/pages/actions.ts';
import { restRoutes } from '../src/rest-compat/routes.ts';
import { REGISTRY } from '../src/templates/index.ts';
import {
  FREE_KINDS,
  isRuled,
  type OutKind,
  RULED_KINDS,
  type RuledKind,
} from '../src/templates/out-kinds.ts';

/** Where it stands. */
const DOCUMENT = new URL('../docs/security.md', import.meta.url);
const ACTIONS_SECTION = /(<!-- actions, written by npm run actions -->\n)[\s\S]*?(<!-- end of actions -->)/;
const HEAD =
  '| Act | Scope | Roles | What it does | GraphQL | `/v2` | Page | Console | `crossramp` |\n|---|---|---|---|---|---|---|---|---|\n';

const ROLES_SECTION = /(<!-- roles, written by npm run actions -->\n)[\s\S]*?(<!-- end of roles -->)/;
const ROLES_HEAD = '| Role | Scopes | What it is for |\n|---|---|---|\n';

const MONEY_OUT_SECTION =
  /(<!-- money out, written by npm run actions -->\n)[\s\S]*?(<!-- end of money out -->)/;
const OUT_HEAD =
  '| Money out | Trigger | Templates | Leads to | Scope | Cooling | Threshold of the day | Ceilings of the hour |\n|---|---|---|---|---|---|---|---|\n';
const FREE_KIND_NAMES = Object.keys(FREE_KINDS) as (keyof typeof FREE_KINDS)[];
const NO_LIMITS = '| | | |';
/** Cooling of each kind that passes the rule. */
const COOLING: Readonly<Record<RuledKind, string>> = {
  withdrawal: 'a usable entry of the group',
  payout: 'a usable entry of the whitelist, unless the cooling time is 0',
  refund: 'counted from the payment, if its crypto was delivered to a wallet',
  redirect: 'a usable entry of the whitelist, unless the cooling time is 0',
};

function moneyOut(): string {
  const all = REGISTRY.templates.flatMap(({ name, machine }) =>
    machine.transitions.flatMap(({ on, to, from, moneyOut: kind }) =>
      kind ? [{ kind, on, template: name, to: to === 'stay' && from.length === 1 ? from[0] : to }] : [],
    ),
  );
  const groups = Map.groupBy(all, ({ kind, on }) => `${kind} ${on}`);
  const kinds: readonly OutKind[] = [...(Object.keys(RULED_KINDS) as RuledKind[]), ...FREE_KIND_NAMES];
  const code = (words: Iterable<string | undefined>) =>
    [...new Set(words)].map((word) => `\`${word}\``).join(' ');
  return kinds
    .flatMap((kind) => [...groups.values()].filter(([first]) => first?.kind === kind))
    .map((group) => {
      const [{ kind, on }] = group as [(typeof all)[number]];
      const rule = isRuled(kind)
        ? `\`move\` | ${COOLING[kind]} | another maker approves | two other makers lift it |`
        : `none: ${FREE_KINDS[kind]} ${NO_LIMITS}`;
      const name = isRuled(kind) ? `**${kind}**: ${RULED_KINDS[kind]}` : kind;
      return `| ${name} | \`${on}\` | ${code(group.map(({ template }) => template))} | ${code(group.map(({ to }) => to))} | ${rule}\n`;
    })
    .join('');
}

/** @returns the document with the tables as the code has them. */
export function withActions(document: string): string {
  return document
    .replace(ACTIONS_SECTION, (_all, begin: string, end: string) => `${begin}${HEAD}${rows()}${end}`)
    .replace(
      MONEY_OUT_SECTION,
      (_all, begin: string, end: string) => `${begin}${OUT_HEAD}${moneyOut()}${end}`,
    )
    .replace(ROLES_SECTION, (_all, begin: string, end: string) => `${begin}${ROLES_HEAD}${roles()}${end}`);
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
  return Object.entries<Action>(ACTIONS)
    .map(([name, { scope, description, mutations }]) => {
      const paths = routes
        .filter(({ action, otherAction }) => action === name || otherAction === name)
        .map(({ path }) => path.replace('/v2', ''));
      const forms = Object.entries<readonly string[]>(PAGE_ACTIONS).flatMap(([form, names]) =>
        names.includes(name) ? [form] : [],
      );
      const screens = CONSOLE_FORMS.filter(({ field }) => mutations.includes(field)).map((form) => form.name);
      const commands = Object.keys(COMMAND_ACTIONS).filter((command) => COMMAND_ACTIONS[command] === name);
      const cells = [mutations, paths, forms, screens, commands].map(code).join(' | ');
      return `| \`${name}\` | \`${scope}\` | ${rolesWith(scope)} | ${description} | ${cells} |\n`;
    })
    .join('');
}

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, withActions(readFileSync(DOCUMENT, 'utf8')));
