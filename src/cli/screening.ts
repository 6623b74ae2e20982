/** `crossramp screening check|lists|hits|dismiss|confirm`. */
import { Command, Option } from 'commander';
import { maskTaxId } from '../base/pix/tax-id.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { decideHit, listHits } from '../resolvers/screening/decide-hits.ts';
import { checkSubject, readLists } from '../resolvers/screening/read-lists.ts';
import { HIT_STATES, type HitRow, type HitState } from '../store/rails/screening-hits.ts';
import { lists, uses } from './command.ts';
import { revealOption, withMode } from './output.ts';
import { namedReason, type Reasoned, withReason } from './reason.ts';

interface HitOptions {
  readonly state: HitState | 'all';
  readonly reveal?: boolean;
}

interface Subject {
  readonly name?: string;
  readonly taxId?: string;
  readonly address?: string;
  readonly birthDate?: string;
  readonly country?: string;
}

const LIMIT = 100;
const SLICE = { limit: LIMIT, below: null, above: null, isBackward: false };
const DECISIONS = [
  ['dismiss', 'Dismisses a hit: it is somebody else, and the subject is not stopped for the entry again.'],
  ['confirm', 'Confirms a hit: it is the person or the address of the list.'],
] as const;

/** The command `screening`. */
export function screeningCommand(): Command {
  const screening = new Command('screening').description(
    'Shows the screening lists and their hits, compares a name or an address, and decides about hits.',
  );
  screening.addCommand(checkCommand());
  screening.addCommand(listsCommand());
  screening.addCommand(hitsCommand());
  for (const [name, description] of DECISIONS) screening.addCommand(decisionCommand(name, description));
  return screening;
}

function checkCommand(): Command {
  const check = new Command('check')
    .description('Compares a person, a company or an address with the lists and providers; raises no hit.')
    .option('--name <text>', 'name of a person or a company')
    .option('--tax-id <number>', 'CPF or CNPJ without punctuation')
    .option('--address <address>', 'wallet address')
    .option('--birth-date <date>', 'date of birth, YYYY-MM-DD')
    .option('--country <code>', 'country, two letters');
  lists(withMode(check), {
    run: (context, { name, taxId, address, birthDate, country }: Subject) =>
      checkSubject(context, { name, taxId, address, birthDate, country }),
    row: ({ list, entry, entryName, score, strength, answer, version }) => ({
      ...{ list, entry, entryName, score, strength, answer, version },
    }),
    columns: {
      ...{ LIST: 'list', ENTRY: 'entry', NAME: 'entryName', SCORE: 'score', MATCH: 'strength' },
      ...{ ANSWER: 'answer', VERSION: 'version' },
    },
    right: ['SCORE'],
    none: 'no match',
  });
  return check;
}

function listsCommand(): Command {
  const command = new Command('lists').description(
    'Lists the screening lists of this machine, with versions, ages and refused files.',
  );
  lists(withMode(command), {
    run: async (context) => (await readLists(context)).lists,
    row: ({ list, version, entries, fileAt, isStale, refusal }) => ({
      ...{ list, version, entries, fileAt, isStale, refusal },
    }),
    columns: {
      ...{ LIST: 'list', VERSION: 'version', ENTRIES: 'entries', FILE: 'fileAt', STALE: 'isStale' },
      ...{ REFUSED: 'refusal' },
    },
    right: ['ENTRIES'],
    none: 'no lists',
  });
  return command;
}

function hitsCommand(): Command {
  const hits = new Command('hits')
    .description(`Lists the newest ${LIMIT} hits of sandbox or live accounts.`)
    .addOption(
      new Option('--state <state>', 'only hits in this state')
        .choices([...Object.keys(HIT_STATES), 'all'])
        .default('open'),
    );
  lists(withMode(hits).addOption(revealOption()), {
    run: async (context, { state }: HitOptions) =>
      (await listHits(context, { state: state === 'all' ? null : state, account: undefined }, SLICE)).rows,
    row: shown,
    columns: {
      ...{ ID: 'id', RAISED: 'raisedAt', STATE: 'state', LIST: 'list', ENTRY: 'entryName', SCORE: 'score' },
      ...{ ANSWER: 'answer', ROLE: 'role', ACCOUNT: 'account', TRANSACTION: 'end2end' },
    },
    right: ['SCORE'],
    none: 'no hits',
  });
  return hits;
}

function decisionCommand(name: 'dismiss' | 'confirm', description: string): Command {
  const command = withReason(new Command(name).description(description).argument('<id>', 'id of the hit'));
  uses(withMode(command).addOption(revealOption()), {
    run: (context, { reason }: Reasoned & { readonly reveal?: boolean }, id: string) =>
      decideHit(context, id, name === 'dismiss', namedReason(reason), checksOf(context)),
    json: shown,
    text: ({ state }, _options, id) => `hit ${id} is ${state}`,
  });
  return command;
}

/** Tax ids are masked unless the caller requests them whole. */
function shown(row: HitRow, { reveal }: Pick<HitOptions, 'reveal'>) {
  const { id, accountId, transactionId, subject, taxId, raisedAt, decidedAt, ...rest } = row;
  return {
    id: String(id),
    ...rest,
    taxId: taxId === null || reveal ? taxId : maskTaxId(taxId),
    account: String(accountId),
    raisedAt: isoMillis(raisedAt),
    decidedAt: decidedAt && isoMillis(decidedAt),
  };
}
