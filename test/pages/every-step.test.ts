/**
 * Goal: every step that a payer's transaction can stand at has its page, also those that are passed in a second. Method: a
 * real transaction of each template, shown as if it stood at each step, with all that can be known and with nothing.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { showSession } from '../../src/pages/serve-session.ts';
import { findSession } from '../../src/resolvers/payer/payment-session.ts';
import { hasPayer } from '../../src/templates/accepts.ts';
import type { Step, Template } from '../../src/templates/define.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { messageOf } from '../../src/templates/messages/find.ts';
import { LANGUAGES, type Language } from '../../src/ui/language.ts';
import { useApp } from '../support/app.ts';
import { ORIGIN } from '../support/origin.ts';
import { mutate } from './sessions.ts';

const app = useApp();
const PAID_BY_SOMEBODY = REGISTRY.templates.filter(hasPayer);
const ORDER = { currency: 'USDC_BASE', clientName: 'Ana Souza', clientTaxId: '52998224725' };
const WALLET = { wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
const PAYEE = { pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
/** How a transaction of each template is made. */
const CREATIONS: Readonly<Record<string, readonly [mutation: string, input: object]>> = {
  CrossrampCheckout: ['createCheckout', { ...ORDER, amount: { brl: '550' } }],
  Onramp: ['createOnramp', { ...ORDER, amount: { brl: '550' } }],
  OnrampInstant: ['createOnramp', { ...ORDER, ...WALLET, amount: { brl: '550' } }],
  OfframpInstant: ['createOfframp', { ...ORDER, ...PAYEE, amount: { brl: '500' }, from: 'EXTERNAL' }],
};
const rows = new Map<string, ProcessRow>();

beforeAll(async () => {
  for (const { typeName } of PAID_BY_SOMEBODY) {
    const [mutation, input] = CREATIONS[typeName] as [string, object];
    const { link } = await mutate(app, mutation, input);
    const token = link.split('/').at(-1) as string;
    const row = await findSession(app.services, token);
    if (row) rows.set(typeName, row);
  }
});

/** All that can be known of it, or nothing but what a transaction has from the beginning. */
function standingAt(row: ProcessRow, { component, state }: Step, isKnown: boolean): ProcessRow {
  const place = { ...row, component, state };
  if (isKnown) {
    const deposit = {
      txHash: 'f'.repeat(64),
      logIndex: 0,
      amount: '94.5',
      isLate: false,
      from: WALLET.wallet,
    };
    return {
      ...place,
      ...{ pixE2e: 'E99999999202611211200abcdefghijk', txHash: deposit.txHash, depositFrom: deposit.from },
      returnUrl: 'https://shop.example.com/back',
      process: { ...row.process, sequence: 9, createdBy: null, paid: '530', excess: '20', deposit },
    };
  }
  const nothing = { sourceAmount: null, targetAmount: null, quote: null, fees: null, networkFee: null };
  const nobody = { clientName: null, clientTaxId: null, pixKey: null, wallet: null, expiresAt: null };
  const { session, createdBy = null } = row.process ?? {};
  const process = { sequence: 1, createdBy, ...(session && { session }) };
  return { ...place, ...nothing, ...nobody, depositAddress: null, exactDepositAmount: null, process };
}

async function show(row: ProcessRow, language: Language): Promise<string> {
  const request = { row, token: row.process?.session ?? '', acceptLanguage: undefined, origin: ORIGIN };
  const answer = await showSession(app.services, {
    ...request,
    query: new URLSearchParams({ lang: language }),
  });
  return 'body' in answer ? answer.body : '';
}

describe.each(PAID_BY_SOMEBODY)('$name', ({ typeName, steps }: Template) => {
  test.each(
    steps.map((step): [string, Step] => [`${step.component}/${step.state}`, step]),
  )('%s', async (_name, step) => {
    const row = rows.get(typeName) as ProcessRow;
    for (const language of Object.keys(LANGUAGES) as Language[]) {
      for (const isKnown of [true, false]) {
        const body = await show(standingAt(row, step, isKnown), language);
        const isRequesting = /<main[^>]*>[\s\S]*<(?:form|textarea)[\s\S]*<\/main>/.test(body);
        // What happened is told in the words of a person; labels of steps are for programs.
        const title = /<h1 tabindex="-1">([^<]{3,})<\/h1>/.exec(body)?.[1];
        expect(title).toBeDefined();
        expect(title).not.toMatch(/KYC|divergent|substatus|successfully|!/i);
        if (!isRequesting) expect(title).not.toBe(step.substatus[language]);
        expect(mainOf(body)).not.toMatch(/undefined|null|NaN|\[object|\{\w+\}/);
      }
    }
  });
});

describe.each(REGISTRY.templates)('$name', ({ steps }: Template) => {
  test.each(
    steps.map((step): [string, Step] => [`${step.component}/${step.state}`, step]),
  )('%s has words of its own, in both languages', (_name, step) => {
    for (const flow of ['shop', 'wallet', 'payee'] as const) {
      const telling = messageOf(step, flow);
      expect(telling).toBeDefined();
      expect(telling?.title).toEqual({
        en: expect.stringMatching(/^[^.]/),
        pt: expect.stringMatching(/^[^.]/),
      });
    }
  });
});

function mainOf(body: string): string {
  return /<main[\s\S]*<\/main>/.exec(body)?.[0] ?? '';
}
