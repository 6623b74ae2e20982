/**
 * Goal: a person lets payers, or data about them, go to another site with a fresh passkey only (C-40): links with a return URL or a
 * webhook, and the frame hosts and support URL of the pages. Method: each such member alone and beside others, by GraphQL, by forms of
 * the console and by `/v2`, in a sandbox account and in a live one; then the stored links and branding.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountMode } from '../../src/base/access/account-mode.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp({ liveRails: LIVE_RAILS, rateLimit: null });
const FRAME = 'https://shop.invalid';
const SUPPORT = 'https://shop.invalid/help';
const LINK = 'mutation($input: CreateStaticLinkInput!) { createStaticLink(input: $input)';
const BRANDING = 'mutation($input: UpdateBrandingInput!) { updateBranding(input: $input)';
const PAYLOAD = '{ errors { code message path } } }';

describe.each<AccountMode>(['sandbox', 'live'])('C-40: a person of a %s account', (mode) => {
  let shop: Awaited<ReturnType<typeof app.addAccount>>;
  let owner: SignedInForTest;
  let count = 0;

  beforeEach(async () => {
    shop = await app.addAccount({ mode });
    count += 1;
    owner = await signInAs(app, shop.accountId, { email: `${mode}-${count}@shop.invalid`, role: 'owner' });
    await app.owner.query(
      `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
        values ('key-of-' || $1::text, $1, 'Laptop', '', 0, '{}', now())`,
      [owner.personId],
    );
    await verify(null);
    await byKey(BRANDING, { frameHosts: [FRAME], supportUrl: SUPPORT });
  });

  /** Sets the time at which the person has shown the passkey. */
  const verify = (age: string | null) =>
    app.owner.query('update person_session set verified_at = now() - $2::interval where id = $1', [
      owner.sessionId,
      age,
    ]);
  const byKey = async (mutation: string, input: object) => {
    const { json } = await app.graphql(`${mutation} ${PAYLOAD}`, { input }, { key: shop.apiKey });
    expect(errorsIn(json)).toBeUndefined();
  };
  const codeOf = async (mutation: string, input: object): Promise<string | undefined> =>
    errorsIn((await owner.graphql(`${mutation} ${PAYLOAD}`, { input })).json)?.[0].extensions.code;
  const stored = async () =>
    (
      await app.graphql(
        '{ viewer { account { staticLinks { name returnUrl webhook } branding { displayName accent supportUrl frameHosts showsPrice } } } }',
        {},
        { key: shop.apiKey },
      )
    ).json.data.viewer.account;
  const link = (more: object) => ({ name: 'Tips', currency: 'USDT_TRX', ...more });
  const send = (act: string, form: Readonly<Record<string, string | readonly string[]>>) =>
    visit(app, owner, `/console/acts/${act}`, { form: { back: '/console/settings', ...form } });

  test.each([
    [LINK, link({ returnUrl: FRAME })],
    [LINK, link({ webhook: FRAME })],
    [LINK, link({ returnUrl: FRAME, webhook: FRAME, amount: '10' })],
    [BRANDING, { frameHosts: [FRAME, 'https://other.invalid'] }],
    [BRANDING, { frameHosts: ['https://other.invalid'], displayName: 'Loja' }],
    [BRANDING, { frameHosts: ['https://other.invalid'], replacesFrameHosts: [FRAME] }],
    [BRANDING, { supportUrl: 'https://other.invalid' }],
    [BRANDING, { supportUrl: 'mailto:help@other.invalid', accent: '#0b5fff' }],
  ])('sends payers elsewhere with a fresh passkey only: %s %j', async (mutation, input) => {
    const before = await stored();
    for (const age of [null, '5 minutes 1 second']) {
      await verify(age);
      expect(await codeOf(mutation, input)).toBe('STEP_UP_REQUIRED');
    }
    expect(await stored()).toEqual(before);
    await verify('4 minutes');
    expect(await codeOf(mutation, input)).toBeUndefined();
    expect(await stored()).not.toEqual(before);
  });

  test.each([
    [LINK, link({})],
    [LINK, link({ amount: '10', externalCode: 'table 4', expiresIn: 600 })],
    [BRANDING, { displayName: 'Loja', accent: '#0b5fff', showsPrice: false }],
    [BRANDING, { displayName: 'Loja', supportUrl: SUPPORT }],
    [BRANDING, { displayName: 'Loja', frameHosts: [FRAME] }],
    [BRANDING, { supportUrl: null }],
    [BRANDING, { frameHosts: [] }],
  ])('needs none for a change that sends payers nowhere new: %s %j', async (mutation, input) => {
    const before = await stored();
    expect(await codeOf(mutation, input)).toBeUndefined();
    expect(await stored()).not.toEqual(before);
  });

  test('is led to the passkey by the forms of the console, which a link with a destination has not', async () => {
    const before = await stored();
    const part = { part: 'addition', replacesFrameHosts: [FRAME] };
    for (const form of [{ supportUrl: FRAME }, { ...part, frameHosts: [FRAME, 'https://other.invalid'] }])
      expect((await send('UpdateBranding', form)).status).toBe(403);
    expect(await stored()).toEqual(before);
    const form = { ...link({}), returnUrl: FRAME, webhook: FRAME, idempotencyKey: `link-${mode}` };
    expect((await send('CreateStaticLink', form)).status).toBe(303);
    expect((await stored()).staticLinks).toEqual([{ name: 'Tips', returnUrl: null, webhook: null }]);
    expect((await send('UpdateBranding', { displayName: 'Loja', supportUrl: SUPPORT })).status).toBe(303);
    expect((await stored()).branding.displayName).toBe('Loja');
  });

  test('makes no link by /v2, and a key makes one with any destination', async () => {
    const body = { name: 'Tips', currency_exit_received_code: 'USDT_TRX', return_url: FRAME, webhook: FRAME };
    const { status } = await app.post('/v2/static_link', body, { key: null, headers: owner.headers });
    expect([status, (await stored()).staticLinks]).toEqual([401, []]);
    expect((await app.post('/v2/static_link', body, { key: shop.apiKey })).status).toBe(201);
  });
});

test('C-40: a person of a live account without a passkey sends payers nowhere, and one of a sandbox does', async () => {
  for (const [mode, code] of [
    ['live', 'STEP_UP_REQUIRED'],
    ['sandbox', undefined],
  ] as const) {
    const { accountId } = await app.addAccount({ mode });
    const person = await signInAs(app, accountId, { email: `no-key-${mode}@shop.invalid`, role: 'owner' });
    for (const [mutation, input] of [
      [LINK, { name: 'Tips', currency: 'USDT_TRX', webhook: FRAME }],
      [BRANDING, { frameHosts: [FRAME] }],
      [BRANDING, { supportUrl: SUPPORT }],
    ] as const) {
      const { json } = await person.graphql(`${mutation} ${PAYLOAD}`, { input });
      expect(errorsIn(json)?.[0].extensions.code).toBe(code);
    }
  }
});
