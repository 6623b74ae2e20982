/**
 * Goal: a refused form says more than the general advice of its code, wherever the general advice would mislead. Method: every
 * message with which the sources refuse is read from them; each has words of its own, or a line below with the reason why it needs none.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, GatewayError, invalidParameters } from '../../src/base/errors/errors.ts';
import { PIX_KEY_FORMS, PIX_KEY_TYPES } from '../../src/base/pix/pix-key.ts';
import { refusalOf } from '../../src/console/refusal.ts';
import { REASON_WORDS } from '../../src/console/words/refusal-reasons.ts';
import { REFUSAL_WORDS } from '../../src/console/words/refusals.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.includes('generated'),
);
/** Codes whose general advice fits some of their messages only. */
const CODES: readonly ErrorCode[] = [
  'STEP_CONFLICT',
  'FORBIDDEN',
  'LIMIT_EXCEEDED',
  'INSUFFICIENT_BALANCE',
  'ADDRESS_NOT_WHITELISTED',
  'RAILS_MISSING',
];
/** Where the message comes from a variable: the text before the messages, and after them. */
const IN_VARIABLES: Readonly<Record<string, RegExp>> = {
  'resolvers/engine/rule-money-out.ts': /throw refused\(([\s\S]*?)\);\n/g,
  'resolvers/orders/create-withdrawal.ts': /throw refuse\(([\s\S]*?)\);\n/g,
  'resolvers/webhooks/redeliver-webhooks.ts': /const detail =([\s\S]*?);\n/g,
};

const CHANGED = 'somebody else was faster: reloading the page shows what has changed';
const NO_RAILS = 'the advice is to ask the operator for rails';
const NO_FORM = 'no form of the console leads there';
/** Messages for which the general advice of the code is right, by their beginning. */
const GENERAL: Readonly<Record<string, string>> = {
  'the transaction is at step 7, which does not allow this': CHANGED,
  'another request of this transaction waits now': CHANGED,
  'the access of the person who released it first changed': CHANGED,
  'rail event 7 is closed': CHANGED,
  'your access has ended': 'the sign-in page follows',
  'suspense entry 7 7': CHANGED,
  '7 is decided': CHANGED,
  'journal 7 is 7': CHANGED,
  'case 7 is 7': CHANGED,
  'case 7 was answered': CHANGED,
  'case 7 was linked to its payment': CHANGED,
  'the hit 7 is already decided': NO_FORM,
  'the receipt can no longer be requested': NO_FORM,
  'the endpoint was removed': CHANGED,
  'the endpoint of this delivery was removed': CHANGED,
  'the endpoint was not disabled, or has been recovered': CHANGED,
  'the scenario 7 is not possible at step 7': CHANGED,
  'job 7 has not failed': NO_FORM,
  '7 is not stopped by a restore': NO_FORM,
  'the state of 7 has changed meanwhile': NO_FORM,
  'payment 7 has the id of order 7': NO_FORM,
  'payment 7 is decided': NO_FORM,
  'order 7 is matched with another payment': NO_FORM,
  'a worker is doing job 7 now': NO_FORM,
  'a job of kind 7 cannot be cancelled': NO_FORM,
  'this key expires later than the key you use': 'refuses keys alone: people have no end',
  'this key may be used from networks': 'refuses keys alone: people have no networks',
  'a stream token is made with an API key': NO_FORM,
  'the provider gave no verified e-mail address': 'the page of sign-ins has words of its own',
  'sign in as 7 first': 'the page of links has words of its own',
  'only people have passkeys': NO_FORM,
  'notifications are for people': NO_FORM,
  'a link to an export is made with an API key': NO_FORM,
  'views belong to people': NO_FORM,
  'the sandbox requires a test key': NO_FORM,
  'this requires the token of a payment session': NO_FORM,
  'you are signed in as a person and have no key': NO_FORM,
  'a stream token opens subscriptions only': NO_FORM,
  'this requires a key with a scope of the platform': NO_FORM,
  'forms are accepted from the page itself only': 'a page of its own says that the form was refused',
  'the form belongs to another session': 'a page of its own says that the form was refused',
  'passkeys are accepted only from pages of this gateway': 'a page of its own says that the form was refused',
  'no screening of 7 accounts is configured: nothing was compared': NO_FORM,
  'the account is live, and this gateway has 7': NO_RAILS,
  'the available balance does not cover this': 'the advice is that the balance does not cover it',
  'the available balance of 7 does not cover the amount': 'the advice is that the balance does not cover it',
  'the available balance of 7 is less than 7': 'the advice is that the balance does not cover it',
  'the destination is no longer in the group': 'the advice is to add the destination',
  'the destination is new to the account': 'the advice is to add the destination',
  'the group has no entry for this': 'the advice is to add the destination',
};

interface Thrown {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The texts of string and template literals in a piece of source, with samples where a value stands. */
function textsIn(source: string): readonly string[] {
  const flat = source.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, (value) => sampleOf(value));
  return [...flat.matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)]
    .map(([, plain, template]) => (plain ?? template ?? '').replaceAll("\\'", "'"))
    .filter((text) => text.includes(' '));
}

function sampleOf(value: string): string {
  if (/ISOString|isoSeconds/.test(value)) return '2026-11-30T15:00:00Z';
  return /\? '(\w+)'/.exec(value)?.[1] ?? '7';
}

/** The arguments of a call that begins there, as source. */
function argumentsAt(source: string, start: number): string {
  let depth = 1;
  let end = start;
  for (let quote = ''; depth > 0; end += 1) {
    const sign = source[end] ?? '';
    if (quote) quote = sign === quote ? '' : quote;
    else if (/['"`]/.test(sign)) quote = sign;
    else depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
  }
  return source.slice(start, end - 1);
}

function thrownIn(path: string): readonly Thrown[] {
  const source = readFileSync(join(SRC, path), 'utf8');
  return [...source.matchAll(/new GatewayError\(\s*'(\w+)',|(?:throw|return) overLimit\(/g)].flatMap(
    (match) => {
      const code = (match[1] ?? 'LIMIT_EXCEEDED') as ErrorCode;
      if (!CODES.includes(code)) return [];
      const given = argumentsAt(source, match.index + match[0].length).trim();
      // The text is that of the callers of `overLimit`.
      if (given.startsWith('detail, ')) return [];
      const pieces = /^\w+$/.test(given)
        ? [...source.matchAll(IN_VARIABLES[path] ?? /^(?!)/g)].map(([, piece = '']) => piece)
        : [given];
      const messages = pieces.flatMap(textsIn);
      expect(messages, `${path}: ${given}`).not.toEqual([]);
      return messages.map((message) => ({ code, message }));
    },
  );
}

const THROWN = SOURCES.flatMap(thrownIn);
const beginsOf = ({ message }: Thrown) => Object.keys(GENERAL).filter((begin) => message.startsWith(begin));
const isGeneral = ({ code, message }: Thrown) =>
  refusalOf(new GatewayError(code, message), 'en').message === REFUSAL_WORDS[code].en;

describe('a message of a refusal', () => {
  test('is found wherever it is thrown', () => {
    expect(THROWN.length).toBeGreaterThan(60);
    expect(new Set(THROWN.map(({ code }) => code))).toEqual(new Set(CODES));
  });

  test('has a text of its own, or a reason for having none', () => {
    const missing = THROWN.filter((each) => isGeneral(each) && beginsOf(each).length === 0);
    expect(missing).toEqual([]);
    const needless = THROWN.filter((each) => !isGeneral(each) && beginsOf(each).length > 0);
    expect(needless).toEqual([]);
  });

  test('is still thrown if a reason names it', () => {
    const named = new Set(THROWN.flatMap(beginsOf));
    expect(Object.keys(GENERAL).filter((begin) => !named.has(begin))).toEqual([]);
  });

  test('is a sentence in both languages, without names of the API or unfilled placeholders', () => {
    for (const { code, message } of THROWN)
      for (const language of ['en', 'pt'] as const)
        expect(refusalOf(new GatewayError(code, message), language).message, message).toMatch(
          /^[^{}`_]*[A-Za-zÀ-ú0-9{][^{}`_]*\.$/,
        );
  });
});

test('every reason with a text of its own is the message of an error', () => {
  const sources = SOURCES.map((path) => readFileSync(join(SRC, path), 'utf8'));
  const messages = sources.flatMap(textsIn);
  const dead = REASON_WORDS.filter(([pattern]) => !messages.some((message) => pattern.test(message)));
  expect(dead.map(([pattern]) => pattern.source)).toEqual([]);
});

test.each(PIX_KEY_TYPES)('a wrong PIX key of the type %s describes such a key', (type) => {
  const error = invalidParameters([{ parameter: 'pixKey', message: PIX_KEY_FORMS[type] }]);
  const [word, sample] = {
    cpf: [/CPF/, /CPF/],
    cnpj: [/CNPJ/, /CNPJ/],
    email: [/e-mail/, /ana@example\.com/],
    phone: [/mobile phone|celular/, /\+5511987654321/],
    random: [/random key|chave aleatória/, /123e4567-/],
  }[type] as [RegExp, RegExp];
  for (const language of ['en', 'pt'] as const) {
    const { message } = refusalOf(error, language);
    expect(message).toMatch(word);
    expect(message).toMatch(sample);
    expect(message).not.toMatch(/network|rede/);
  }
});

test('a fraction names the value that it must be below', () => {
  const message = 'must be a decimal number from 0 to below 1 with at most 6 decimals, such as 0.01';
  const error = invalidParameters([{ parameter: 'input.spread', message }]);
  expect(refusalOf(error, 'en').message).toBe('Enter a value from 0 to below 1.');
  expect(refusalOf(error, 'pt').message).toBe('Digite um valor a partir de 0 e abaixo de 1.');
});

test('C-22: a refund that has to wait names the time', () => {
  const error = new GatewayError(
    'ADDRESS_NOT_WHITELISTED',
    'the crypto of this payment was delivered to a wallet: its payer can be refunded from 2026-11-30T15:00:00.000Z',
  );
  expect(refusalOf(error, 'en').message).toMatch(/can be refunded from .*30.*12:00/);
  expect(refusalOf(error, 'pt').message).toMatch(/devolvido a partir de .*30.*12:00/);
});
