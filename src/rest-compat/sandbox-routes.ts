/** The routes of the sandbox: scenarios, the clock, and funding. */
import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import { Violations } from '../base/errors/violations.ts';
import { CURRENCY_FORMS } from '../resolvers/checks/creation-members.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
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
  readonly perform: (
    context: Context,
    values: Readonly<Record<string, string>>,
    attempt: Attempt,
  ) => Promise<string>;
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
      handle: async (context, { search, body: text, idempotencyKey }) => {
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
        const request = {
          // A scenario is played outside of the idempotency key: a call after a crash has to play it.
          key: answer.kind === 'anyTransaction' ? undefined : idempotencyKey,
          parameter: 'Idempotency-Key',
          route: `POST ${path}`,
          body: text,
        };
        const done = await once(context, request, async (attempt) => ({
          status: 200,
          answer: await entry.perform(context, values, attempt),
        }));
        return {
          status: done.status,
          body: done.answer,
          ignored: query.ignored,
          headers: done.isReplayed ? { 'idempotent-replayed': 'true' } : {},
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
      perform: async (context, { scenario = '', end2end = '', amount }, attempt) =>
        writer.envelope(await playScenario(context, { scenario, end2end, amount }, attempt)),
    },
    {
      action: 'sandbox.advance_clock',
      path: '/v2/sandbox/clock',
      summary: 'Moves the clock of the sandbox forward',
      shape: { advance: text('A duration such as 90s, 30m, 2h or 1d.', { example: '30m' }) },
      required: ['advance'],
      answer: { kind: 'sandbox', name: 'clock', members: ['now'] },
      perform: async (context, { advance = '' }, { made, bind }) =>
        JSON.stringify({ now: made ?? (await advanceClock(context, advance, { bind })).toISOString() }),
    },
    {
      action: 'sandbox.fund',
      path: '/v2/sandbox/fund',
      summary: 'Credits an amount to the balance, without a transaction',
      shape: { currency: text(CURRENCY_FORMS, { example: 'USDT_TRX' }), amount: AMOUNT },
      required: ['currency', 'amount'],
      answer: { kind: 'sandbox', name: 'fund', members: ['journal_id', 'journalId', 'currency', 'amount'] },
      perform: async (context, { currency = '', amount = '' }, attempt) => {
        const { journalId, ...funding } = await fundSandbox(context, { currency, amount }, attempt);
        // `journalId` is the older name, and is kept.
        return JSON.stringify({ journal_id: journalId, journalId, ...funding });
      },
    },
  ];
}
