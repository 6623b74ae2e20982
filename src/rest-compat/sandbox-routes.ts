/** The routes of the sandbox: scenarios, the clock, and funding. */
import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import { Violations } from '../base/errors/violations.ts';
import { CURRENCY_FORMS } from '../resolvers/checks/creation-members.ts';
import { advanceClock, fundSandbox, playScenario } from '../resolvers/sandbox/play-sandbox.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { EnvelopeWriter } from '../wire/envelope.ts';
import { type BodyShape, parseBody, parseQuery, type QueryPolicy } from './input.ts';
import { amount as amountOf, text } from './members.ts';
import type { AnswerShape, Route } from './route.ts';

const AMOUNT = amountOf('Above zero, with no more decimals than the currency has.', '100.00');

interface SandboxEntry {
  readonly action: ActionName;
  readonly path: Route['path'];
  readonly summary: string;
  readonly shape: BodyShape;
  readonly required: readonly string[];
  readonly answer: AnswerShape;
  readonly perform: (context: Context, values: Readonly<Record<string, string>>) => Promise<string>;
}

/** @returns the routes. */
export function sandboxRoutes(writer: EnvelopeWriter, policy: QueryPolicy): readonly Route[] {
  return entries(writer).map((entry): Route => {
    const { path, summary, shape, answer } = entry;
    return {
      method: 'POST',
      path,
      action: entry.action,
      scope: ACTIONS[entry.action].scope,
      summary,
      parameters: [],
      body: shape,
      needs: { all: entry.required },
      status: 200,
      answer,
      handle: async (context, { search, body: text }) => {
        const violations = new Violations();
        const query = parseQuery(search, [], policy, violations);
        const body = parseBody(text, shape, violations);
        for (const name of entry.required)
          if (!body.get(name)) violations.add({ parameter: name, message: 'is required' });
        violations.refuse();
        const values = Object.fromEntries(
          Object.keys(shape).flatMap((name) => {
            const input = body.get(name);
            return input ? [[name, input.value]] : [];
          }),
        );
        return {
          status: 200,
          body: await entry.perform(context, values),
          ignored: query.ignored,
          headers: {},
        };
      },
    };
  });
}

function entries(writer: EnvelopeWriter): readonly SandboxEntry[] {
  return [
    {
      action: 'sandbox.trigger',
      path: '/v2/sandbox/trigger',
      summary: 'Plays a scenario: the outside world does something to a transaction',
      shape: {
        scenario: text('Name of a scenario; docs/sandbox.md lists them.', { example: 'pay' }),
        end2end: text('The transaction that the scenario happens to.', {
          example: 'CRX01KQJ1A72GFRM9067ZF35B7ZCN',
        }),
        amount: AMOUNT,
      },
      required: ['scenario', 'end2end'],
      answer: { kind: 'anyTransaction' },
      perform: async (context, { scenario = '', end2end = '', amount }) =>
        writer.envelope(await playScenario(context, { scenario, end2end, amount })),
    },
    {
      action: 'sandbox.advance_clock',
      path: '/v2/sandbox/clock',
      summary: 'Moves the clock of the sandbox forward',
      shape: { advance: text('A duration such as 90s, 30m, 2h or 1d.', { example: '30m' }) },
      required: ['advance'],
      answer: { kind: 'sandbox', name: 'clock', members: ['now'] },
      perform: async (context, { advance = '' }) =>
        JSON.stringify({ now: (await advanceClock(context, advance)).toISOString() }),
    },
    {
      action: 'sandbox.fund',
      path: '/v2/sandbox/fund',
      summary: 'Credits an amount to the balance, without a transaction',
      shape: { currency: text(CURRENCY_FORMS, { example: 'USDT_TRX' }), amount: AMOUNT },
      required: ['currency', 'amount'],
      answer: { kind: 'sandbox', name: 'fund', members: ['journal_id', 'journalId', 'currency', 'amount'] },
      perform: async (context, { currency = '', amount = '' }) => {
        const { journalId, ...funding } = await fundSandbox(context, { currency, amount });
        // `journalId` is the older name, and stays.
        return JSON.stringify({ journal_id: journalId, journalId, ...funding });
      },
    },
  ];
}
