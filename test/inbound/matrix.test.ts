/**
 * C-34: at every step of a template that money comes for by PIX, and of one by deposit, money that comes is a step or lies in suspense, as the table in
 * docs/ledger.md says. Method: transactions at their charge or address are put to each step by hand, without the jobs that would
 * move them on; then money comes, and the books are verified.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { depositFor, inboundOf, type Merchant, pixFor } from './support.ts';

const app = useApp();
const { onramp, offrampInstant, reach, rowOf, suspenseOf, verified } = inboundOf(app);
const DOCUMENT = readFileSync(new URL('../../docs/ledger.md', import.meta.url), 'utf8');
let merchant: Merchant;

beforeAll(async () => {
  merchant = await app.addAccount();
});

/** The steps at which a template takes money, as the document has them. */
function takenAt(template: string): readonly string[] {
  const [, steps = ''] = new RegExp(`\\| \`${template}\` \\|([^|]*)\\|`).exec(DOCUMENT) ?? [];
  return [...steps.matchAll(/`([^`]+)`/g)].map(([, step]) => step as string);
}

async function putTo(row: ProcessRow, component: string, state: string): Promise<void> {
  const ids = [String(row.accountId), String(row.id)];
  await app.owner.query('delete from job where account_id = $1 and transaction_id = $2', ids);
  await app.owner.query(
    'update transaction set component = $3, state = $4 where account_id = $1 and id = $2',
    [...ids, component, state],
  );
}

/** Of an account of its own each: what a customer is paid out counts towards a step-up. */
const deposit = async () => {
  merchant = await app.addAccount();
  const made = await offrampInstant(merchant);
  await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
  return rowOf(made.end2end);
};

test.each([
  ['onramp', () => onramp(merchant), pixFor],
  ['offramp_instant', deposit, depositFor],
] as const)(
  'C-34: %s, every step, money of every kind',
  { timeout: 120_000 },
  async (name, make, newsFor) => {
    const taken = takenAt(name);
    expect(taken.length).toBeGreaterThan(1);
    const accounts = new Set<bigint>();
    for (const { component, state } of REGISTRY.of(name).steps) {
      for (const amount of [undefined, '7', '900']) {
        const row = await make();
        await putTo(row, component, state);
        const before = (await suspenseOf(row.accountId)).length;
        const news = newsFor(row, { ...(amount && { amount }) });
        const { outcome } = await app.services.receive(news);
        const at = `${name} ${component}/${state} ${amount ?? 'exact'}`;
        expect(outcome, at).toBe(taken.includes(`${component}/${state}`) ? 'step' : 'suspense');
        expect((await app.services.receive(news)).outcome, at).toBe('duplicate');
        const opened = (await suspenseOf(row.accountId)).length - before;
        expect(opened, at).toBe(outcome === 'suspense' ? 1 : 0);
      }
    }
    for (const accountId of accounts) await verified(accountId);
  },
);
