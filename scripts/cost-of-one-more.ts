/**
 * Cost of one more of a kind: the files that have to change, counted from the code. A kind is counted by one that
 * there is already: every source that names it would have to name the next one too. `npm run cost` prints the table that
 * ARCHITECTURE.md has.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FACTS } from '../src/templates/facts.ts';

const ROOT = new URL('..', import.meta.url);

/** One kind: what is counted, what there was before, and what is aimed at. */
export interface Cost {
  readonly kind: string;
  /** The one that is looked for. */
  readonly probe: string;
  readonly files: readonly string[];
  readonly before: string;
  readonly goal: string;
  /** Reason for which it is more than the goal; empty where it is not. */
  readonly reason: string;
}

const SOURCES: readonly { readonly path: string; readonly text: string }[] = [
  ...readdirSync(new URL('src/', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
    .map((path) => `src/${path}`),
  'prisma/schema.prisma',
].map((path) => ({ path, text: withoutComments(readFileSync(new URL(path, ROOT), 'utf8')) }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

const naming = (pattern: RegExp, folders = 'src/') =>
  SOURCES.filter(({ path, text }) => path.startsWith(folders) && pattern.test(text)).map(({ path }) => path);

/** Sources that list facts: they name four of five of them. */
function factLists(): readonly string[] {
  const names = Object.keys(FACTS);
  return SOURCES.filter(
    ({ text }) =>
      names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).length > (4 * names.length) / 5,
  ).map(({ path }) => path);
}

/** The rail's own folder counts once. */
function railFiles(): readonly string[] {
  return ['src/rails/tron/', ...naming(/rails\/tron\//).filter((path) => !path.includes('rails/tron'))];
}

/** Where the members of a creation's body are named, besides the fact that they become; notes about a case are others. */
const CREATION = /^src\/(rest-compat|schema(?!\/review(-related)?\.ts)|resolvers\/(orders|checks))\//;

/** Where the filters of lists of transactions are named, besides the facts that they look for. */
const FILTERS =
  /^src\/(rest-compat\/(exports|families|input|openapi|routes)|schema\/(proved-fields|transaction-queries)|resolvers\/transactions\/.+|store\/engine\/(merged-lists|transactions|transaction-filters))\.ts$/;

/** @returns every kind with its files, in the order of ARCHITECTURE.md. */
export function costs(): readonly Cost[] {
  return [
    {
      kind: 'creatable template',
      probe: '`onramp_instant`',
      files: naming(/'onramp_instant'|\/onramp_instant\.ts'/),
      before: '8',
      goal: '2',
      reason: '',
    },
    {
      kind: 'fact',
      probe: 'lists of facts; a template that publishes it has a line of its own',
      files: [...factLists(), 'prisma/migrations/<new>'],
      before: '6 to 7',
      goal: '2',
      reason: '',
    },
    {
      kind: 'currency',
      probe: '`USDC_SOL`; a new asset has its rate in the sandbox besides, which the compiler asks for',
      files: naming(/'USDC_SOL'|'USDC', 'SOL'/),
      before: '3',
      goal: '1',
      reason: '',
    },
    { kind: 'network', probe: '`BSC`', files: naming(/\bBSC\b/), before: '9', goal: '1', reason: '' },
    {
      kind: 'rail',
      probe: 'TRON',
      files: railFiles(),
      before: 'none',
      goal: 'its folder and 1',
      reason: '',
    },
    {
      kind: 'member of a body',
      probe: '`notes`; what is checked in a way of its own has that check besides',
      files: naming(/\bnotes\b/).filter((path) => CREATION.test(path)),
      before: '7',
      goal: '2',
      reason: '',
    },
    {
      kind: 'route',
      probe: '`/v2/balance`',
      files: naming(/'\/v2\/balance'/, 'src/rest-compat/'),
      before: '1 to 2',
      goal: '1 to 2',
      reason: '',
    },
    {
      kind: 'event without a change of step',
      probe: '`partial_refund.requested`',
      files: naming(/'partial_refund\.requested'/),
      before: '3',
      goal: '2',
      reason: '',
    },
    {
      kind: 'filter of transactions',
      probe: '`groupId`; one that the database cannot read by an existing column has a fact besides',
      files: [
        ...naming(/\b(groupId|group_id)\b/).filter((path) => FILTERS.test(path)),
        'prisma/migrations/<new>',
      ],
      before: '9',
      goal: '2',
      reason: '',
    },
  ];
}

/** @returns the table in Markdown. */
export function costTable(): string {
  const rows = costs().map(
    ({ kind, probe, before, files, goal, reason }) =>
      `| ${kind} | ${probe} | ${before} | ${files.length} | ${goal} | ${reason} |`,
  );
  const head = ['| One more | Counted by | Before | Files | Goal | Why more |', '|---|---|---|---|---|---|'];
  return [...head, ...rows].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${costTable()}\n\n`);
  for (const { kind, files } of costs()) process.stdout.write(`${kind}: ${files.join(', ')}\n`);
}
