/** `crossramp transaction list|show`. */
import { Command, Option } from 'commander';
import { type ExactJson, isExactObject, NumberToken, parseExactJson } from '../base/text/exact-json.ts';
import { isoMillis } from '../base/time/instant.ts';
import { possibleActions } from '../resolvers/engine/possible-actions.ts';
import type { Context } from '../resolvers/services/context.ts';
import { listTransactions } from '../resolvers/transactions/list-transactions.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { findProcess, readProcesses } from '../store/engine/processes.ts';
import { readSteps } from '../store/events/events.ts';
import type { Family } from '../templates/define.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { REGISTRY } from '../templates/index.ts';
import { labelOf } from '../wire/envelope.ts';
import { limitOption } from './command.ts';
import { answerText, jsonOption, readAccountOption, table } from './output.ts';
import { asOperator } from './with-store.ts';

interface Options {
  readonly account: string;
  readonly json?: boolean;
}

const FAMILIES = [...new Set(REGISTRY.templates.map(({ family }) => family))];

/** The command `transaction`. */
export function transactionCommand(): Command {
  const transaction = new Command('transaction').description('Reads the transactions of an account.');
  transaction
    .command('list')
    .description('Lists the newest transactions.')
    .addOption(readAccountOption())
    .addOption(new Option('--family <name>', 'only this family; by default, all families').choices(FAMILIES))
    .addOption(limitOption('transactions', 100, 20))
    .addOption(jsonOption())
    .action(list);
  transaction
    .command('show')
    .description(
      'Shows a transaction with its attributes, all its steps so far, and the actions that are possible now.',
    )
    .argument('<end2end>', 'id of the transaction')
    .addOption(readAccountOption())
    .addOption(jsonOption())
    .action(show);
  return transaction;
}

async function list(options: Options & { family?: Family; limit: number }): Promise<void> {
  const { total, shown } = await asOperator(options, async (context) => {
    const families = options.family ? [options.family] : FAMILIES;
    const pages = await Promise.all(
      families.map((family) => listTransactions(context, family, {}, { limit: options.limit, offset: 0 })),
    );
    const rows = pages
      .flatMap((page) => page.rows)
      .sort((a, b) => (isoMillis(a.createdAt) < isoMillis(b.createdAt) ? 1 : -1))
      .slice(0, options.limit);
    const found = await readProcesses(
      context.database,
      rows.map(({ accountId, id }) => ({ accountId, transactionId: id })),
    );
    return {
      total: pages.reduce((sum, page) => sum + (page.total ?? 0n), 0n),
      shown: rows.flatMap(({ id }) => {
        const row = found.find((each) => each.id === id);
        return row ? [{ row: summaryOf(context, row), json: context.render(row) }] : [];
      }),
    };
  });
  const heading = ['CREATED', 'END2END', 'TEMPLATE', 'STATUS', 'FROM', 'TO'];
  answerText(
    options,
    () => `{"total":${total},"transactions":[${shown.map(({ json }) => json).join(',')}]}`,
    shown.length === 0
      ? 'no transactions'
      : `${table([heading, ...shown.map(({ row }) => row)])}\n\n${shown.length} of ${total}`,
  );
}

function summaryOf({ registry }: Context, row: ProcessRow): string[] {
  const amount = (text: string | null, currency: string | null) =>
    [text, currency].filter((each) => each !== null).join(' ');
  const status = `${labelOf(registry, row, 'status').en}: ${labelOf(registry, row, 'substatus').en}`;
  return [
    isoMillis(row.createdAt),
    row.end2end,
    row.template,
    status,
    amount(row.sourceAmount, row.sourceCurrency),
    amount(row.targetAmount, row.targetCurrency),
  ];
}

async function show(end2end: string, options: Options): Promise<void> {
  const { json, steps, actions } = await asOperator(options, async (context) => {
    const row = await findProcess(context.database, context.caller.accountId, end2end);
    if (!row) throw new StoreError(`account ${options.account} has no transaction ${end2end}`);
    const [possible = []] = await possibleActions(context, [row]);
    return {
      json: context.render(row),
      steps: await readSteps(context.database, row.accountId, row.id),
      actions: possible.map(({ name, mutation }) => ({ action: name, mutation })),
    };
  });
  const shown = steps.map((step) => ({ ...step, occurredAt: isoMillis(step.occurredAt) }));
  const timeline = shown.map((step) => `  ${step.occurredAt}  ${step.component}/${step.state}`);
  const now = actions.map(({ action, mutation }) => `  ${action}  ${mutation}`);
  answerText(
    options,
    () => `${json.slice(0, -1)},"steps":${JSON.stringify(shown)},"actions":${JSON.stringify(actions)}}`,
    [...linesOf(parseExactJson(json)), ...listed('steps', timeline), ...listed('possible actions', now)].join(
      '\n',
    ),
  );
}

function listed(heading: string, lines: readonly string[]): string[] {
  return [heading, ...(lines.length > 0 ? lines : ['  none'])];
}

/** @returns the members of an object, one per line, nested ones indented. Empty texts are left out. */
function linesOf(value: ExactJson, indent = ''): string[] {
  if (!isExactObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === '' || member === null) return [];
    if (isExactObject(member) && 'en' in member)
      return member.en === '' ? [] : [`${indent}${name.padEnd(26 - indent.length)}  ${member.en}`];
    if (isExactObject(member)) return [`${indent}${name}`, ...linesOf(member, `${indent}  `)];
    const text = member instanceof NumberToken ? member.text : String(member);
    return [`${indent}${name.padEnd(26 - indent.length)}  ${text}`];
  });
}
