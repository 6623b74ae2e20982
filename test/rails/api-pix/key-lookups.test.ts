/**
 * Goal: whose a key is, is asked of the directory and of nobody else; nobody searches it through (design of the directory: a miss costs
 * twenty times as much). Method: the directory of the PSP, rows of payouts to keys of every type.
 */
import { describe, expect, test } from 'vitest';
import { seenAs } from '../../../src/rails/api-pix/key-lookups.ts';
import { NO_OWNER } from '../../../src/resolvers/services/rails.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: false });
const ANA = '52998224725';

const row = (pixKey: string, pixKeyType: string, more: Partial<ProcessRow> = {}) =>
  ({ accountId: 1n, pixKey, pixKeyType, clientTaxId: ANA, ...more }) as ProcessRow;
const owner = (of: ProcessRow) => stand.part.port.keyOwner(of);
const looked = () => stand.calls.filter((call) => call.includes('/dict/')).length;

describe('a key', () => {
  test('belongs to the owner in the directory; a CPF to itself, without a query', async () => {
    await stand.psp.control('PUT', '/directory/ana@example.com', { taxId: ANA });
    const before = looked();
    expect(await owner(row('ana@example.com', 'email'))).toBe(ANA);
    expect(looked()).toBe(before + 1);
    expect(await owner(row('11144477735', 'cpf'))).toBe('11144477735');
    expect(looked()).toBe(before + 1);
  });

  test('without an owner belongs to no one, and one with an unreported owner may be anyone’s', async () => {
    expect(await owner(row('nobody@example.invalid', 'email', { clientTaxId: null }))).toBe(NO_OWNER);
    expect(await owner(row('somebody@example.com', 'email', { clientTaxId: null }))).toBeNull();
  });

  test.each([
    ['***.982.247-**', ANA],
    ['xxx.982.247-xx', ANA],
    ['•••982247••', ANA],
    ['***.444.777-**', '***444777**'],
    ['**.982.247/0001-**', '**9822470001**'],
  ])('with the hidden digits %s in the directory belongs to %s', async (taxId, expected) => {
    const key = `${crypto.randomUUID()}@example.com`;
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      return call.url.includes('/dict/') ? { ...answer, body: JSON.stringify({ cpf: taxId }) } : answer;
    };
    expect(await owner(row(key, 'email'))).toBe(expected);
    stand.meddle = undefined;
  });

  test('with hidden digits is the customer’s if the shown ones match', () => {
    expect(seenAs('***982247**', ANA)).toBe(ANA);
    expect(seenAs('***982248**', ANA)).toBe('***982248**');
    expect(seenAs('11222333000181', ANA)).toBe('11222333000181');
    expect(seenAs('***982247**', null)).toBe('***982247**');
  });
});

describe('look-ups', () => {
  test('of one customer are limited, sooner for missing keys, and refilled over time', async () => {
    const payer = { clientTaxId: '11144477735', accountId: 2n };
    await owner(row('a@example.invalid', 'email', payer));
    // 30, less one and 19 for the miss.
    for (let count = 0; count < 10; count++) await owner(row('b@example.com', 'email', payer));
    const refused = { code: 'RATE_LIMITED', retryAfter: 60 };
    await expect(owner(row('b@example.com', 'email', payer))).rejects.toMatchObject(refused);
    // Others are not kept from theirs.
    expect(await owner(row('b@example.com', 'email', { accountId: 2n }))).toBeNull();
    await stand.app.owner.query(
      `update pix_look_up set free_at = free_at - interval '60 seconds' where subject = 'payer:11144477735'`,
    );
    expect(await owner(row('b@example.com', 'email', payer))).toBeNull();
    await expect(owner(row('b@example.com', 'email', payer))).rejects.toMatchObject(refused);
  });

  test('of one account are limited as well, over all its customers', async () => {
    const used = (seconds: number) =>
      stand.app.owner.query(
        `insert into pix_look_up (mode, subject, free_at) values ('live', 'account:3', now() + make_interval(secs => $1))
         on conflict (mode, subject) do update set free_at = excluded.free_at`,
        [seconds],
      );
    const lookup = () => owner(row('b@example.com', 'email', { accountId: 3n, clientTaxId: null }));
    // The clock of the process may be some milliseconds behind.
    await used(298);
    expect(await lookup()).toBeNull();
    // One comes back every second: a slow machine must not get it meanwhile.
    await used(360);
    await expect(lookup()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});
