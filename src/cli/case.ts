/** `crossramp case list|show|approve|deny|retry|freeze|unfreeze`: identity cases of customers. */
import { Command, Option } from 'commander';
import { maskName, maskTaxId } from '../base/text/mask.ts';
import { isoMillis } from '../base/time/instant.ts';
import type { CaseAction } from '../resolvers/cases/case-state.ts';
import { performCaseAction } from '../resolvers/cases/perform-case-action.ts';
import { evidenceFor, findCase, readCases } from '../resolvers/cases/read-cases.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import type { CaseEvidence } from '../store/account/case-evidence.ts';
import type { CaseState, CustomerCase } from '../store/account/customer-cases.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { columnsText, lists, uses } from './command.ts';
import { revealOption, withMode } from './output.ts';
import { namedReason, type Reasoned, withReason } from './reason.ts';

interface Options {
  readonly state?: CaseState;
  readonly all?: boolean;
  readonly reveal?: boolean;
}

const LIMIT = 100;
const SLICE = { limit: LIMIT, below: null, above: null, isBackward: false };
const STATES: readonly CaseState[] = [
  'open',
  'pending',
  'approved',
  'denied',
  'retry',
  'review',
  'expired',
  'frozen',
];
const CASE_COMMANDS: readonly (readonly [CaseAction, string])[] = [
  ['approve', 'Approves a case: transactions that wait for it go on.'],
  ['deny', 'Denies a case: what is open for the customer ends, and what was paid goes back.'],
  ['retry', 'Begins the check of a case again.'],
  ['freeze', 'Freezes the customer of a case: no money of that customer moves or goes back.'],
  ['unfreeze', 'Unfreezes the customer of a case; two people do it, one after the other.'],
];

/** The command `case`. */
export function caseCommand(): Command {
  const command = new Command('case').description(
    'Lists cases of customers, shows their evidence, and decides about them.',
  );
  const list = command
    .command('list')
    .description(
      `Lists the newest ${LIMIT} cases of all sandbox or all live accounts that wait for a person.`,
    )
    .addOption(
      new Option('--state <state>', 'only cases in this state, whether they wait or not').choices(STATES),
    )
    .option('--all', 'also cases that wait for nobody');
  lists(withMode(list).addOption(revealOption()), {
    run: async (context, { state, all = false }: Options) => {
      const waitsForPerson = !all && state === undefined;
      const wanted = { account: null, states: state ? [state] : null, taxId: null, waitsForPerson };
      return (await readCases(context, wanted, SLICE)).rows;
    },
    row: shown,
    columns: {
      ...{ ID: 'id', OPENED: 'openedAt', ACCOUNT: 'account', CUSTOMER: 'taxId', LEVEL: 'level' },
      ...{ STATE: 'state', PROVIDER: 'provider', ATTEMPTS: 'attempts' },
    },
    right: ['ATTEMPTS'],
    none: 'no cases',
  });
  uses(
    withMode(
      command
        .command('show')
        .description('Shows a case with its evidence.')
        .argument('<id>', 'id of the case'),
    ).addOption(revealOption()),
    {
      run: async (context, _options: Options, id: string) => {
        const row = await findCase(context, id);
        if (!row) throw new StoreError(`there is no case ${id}`);
        return { row, evidence: (await evidenceFor(context, row)) ?? [] };
      },
      json: ({ row, evidence }, options) => ({ ...shown(row, options), evidence: evidence.map(entry) }),
      text: ({ row, evidence }, options) =>
        `${Object.entries(shown(row, options))
          .map(([name, value]) => `${name}: ${value ?? ''}`)
          .join('\n')}\n\n${columnsText(evidence.map(entry), COLUMNS)}`,
    },
  );
  for (const [action, description] of CASE_COMMANDS)
    uses(
      withReason(
        withMode(command.command(action).description(description).argument('<id>', 'id of the case')),
      ).addOption(revealOption()),
      {
        run: (context, { reason }: Options & Reasoned, id: string) =>
          performCaseAction(context, action, id, namedReason(reason), checksOf(context)),
        json: shown,
        text: ({ id, state, unfreezeBy }) =>
          `case ${id} is ${state}${unfreezeBy === null ? '' : '; another person has to unfreeze it too'}`,
      },
    );
  return command;
}

const COLUMNS = {
  TIME: 'at',
  EVENT: 'event',
  STATE: 'state',
  DECISION: 'decision',
  BY: 'actor',
  REASON: 'reason',
} as const;

function shown(row: CustomerCase, { reveal }: Options) {
  const { id, accountId, taxId, name, sealedLink, askAt, openedAt, updatedAt, attemptAt, ...rest } = row;
  return {
    id: String(id),
    account: String(accountId),
    taxId: reveal ? taxId : maskTaxId(taxId),
    name: name === null || reveal ? name : maskName(name),
    openedAt: isoMillis(openedAt),
    ...rest,
    updatedAt: isoMillis(updatedAt),
    decidedAt: rest.decidedAt && isoMillis(rest.decidedAt),
    validUntil: rest.validUntil && isoMillis(rest.validUntil),
  };
}

function entry({ caseId: _, at, ...rest }: CaseEvidence) {
  return { at: isoMillis(at), ...rest };
}
