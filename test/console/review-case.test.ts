/**
 * Goal: compliance finishes its work in the view of a case: it sees why the case waits, decides with a reason, with a second person
 * where the rule says so, and reads the decision at the same address afterwards; other roles get no form (C-25, C-40). Method: a
 * case of each kind on the real application, decided by the forms of its page.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { newPayment } from '../../src/rails/sandbox/pix.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { findTransaction } from '../../src/store/engine/transactions.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const { ask, create, trigger, until } = graphqlClient(app, () => app.apiKey);
const PATIENCE = { timeout: 15_000 };
const TAX_ID = '52998224725';
let risk: SignedInForTest;
let second: SignedInForTest;
let books: SignedInForTest;
let owner: SignedInForTest;

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  risk = await signInAs(app, platform, { email: 'rosa@platform.invalid', role: 'platform_risk' });
  second = await signInAs(app, platform, { email: 'saulo@platform.invalid', role: 'platform_risk' });
  books = await signInAs(app, platform, { email: 'paul@platform.invalid', role: 'platform_finance' });
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const pathOf = (kind: string, reference: string) =>
  `/console/review/case?id=${encodeURIComponent(`${kind}:${app.accountId}:${reference}`)}`;

/** A busy machine may take more than the seconds that a page waits for: 503, and the same page again. */
async function read(path: string, person = risk, language = 'en'): Promise<string> {
  return vi.waitFor(async () => {
    const page = await visit(app, person, `${path}&lang=${language}`);
    expect(page.status, page.text).toBe(200);
    return page.text;
  }, PATIENCE);
}

/** @returns the names of the forms of decisions on a page. */
function formsOn(page: string): string[] {
  const others = ['AssignReviewCase', 'ReleaseReviewCase', 'AddReviewNote'];
  return [...page.matchAll(/action="\/console\/acts\/(\w+)"/g)]
    .map(([, name = '']) => name)
    .filter((name) => !others.includes(name));
}

/** Sends the form of a page as it stands there, with what is typed. */
async function decide(path: string, action: string, typed: Record<string, string>, person = risk) {
  const page = await read(path, person);
  const [form] = new RegExp(`<form method="post" action="/console/acts/${action}"[\\s\\S]*?</form>`).exec(
    page,
  ) ?? [''];
  expect(form, page).not.toBe('');
  expect(form).toMatch(/<input [^>]*name="reason"[^>]*required/);
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
  );
  return visit(app, person, `/console/acts/${action}`, {
    form: { ...Object.fromEntries(hidden), ...typed },
  });
}

/** Sends a form that the page does not show. */
function sendAnyway(path: string, action: string, fields: Record<string, string>, person = risk) {
  return visit(app, person, `/console/acts/${action}`, { form: { back: path, ...fields } });
}

/** @returns the outcome that the console tells in place of the action; null without one. */
function outcomeOf({ status, text, headers }: Awaited<ReturnType<typeof decide>>): string | null {
  expect(status, text).toBe(303);
  return new URL(headers.get('location') ?? '', app.baseUrl).searchParams.get('became');
}

/** A decision without a reason is refused; with one it is done, and can be read at the address of the case. */
async function settle(path: string, action: string, typed: Record<string, string> = {}) {
  const reason = `checked by phone, ${action}`;
  expect((await decide(path, action, { ...typed, reason: ' ' })).status).toBe(400);
  const done = await decide(path, action, { ...typed, reason });
  expect(done.status, done.text).toBe(303);
  await vi.waitFor(
    async () => expect(await read(path)).toContain('This case was decided and has left the queue.'),
    PATIENCE,
  );
  const page = await read(path);
  expect(page).toContain(reason);
  expect(page).toContain('rosa');
  expect(await read(path, risk, 'pt')).toContain('Decisões');
  return page;
}

/** Whether people without `platform:risk` see no form: the account holder where the page is theirs too. */
async function expectNoForms(path: string, isOfAccounts: boolean) {
  expect((await visit(app, books, path)).status).toBe(404);
  const page = await visit(app, owner, path);
  expect(page.status).toBe(isOfAccounts ? 200 : 404);
  expect(formsOn(page.text).filter((name) => name !== 'CancelTransaction')).toEqual([]);
  expect(page.text).not.toContain('Ana Sousa');
}

async function onramp(externalCode?: string): Promise<string> {
  const customer = { clientName: 'Ana Souza', clientTaxId: TAX_ID, externalCode };
  const input = { amount: { brl: '150.00' }, currency: 'USDT_TRX', ...customer };
  return (await create('createOnramp', input)).transaction.end2end;
}

const HIT = {
  ...{
    role: 'customer',
    subject: `tax_id:${TAX_ID}`,
    subjectName: 'Ana Souza',
    taxId: TAX_ID,
    address: null,
  },
  ...{ list: 'un', entry: 'QDi.7', entryName: 'Ana Sousa', strength: 'strong', version: '2026-11-28' },
} as const;

/** @returns the id of a hit of a transaction, or of none. */
async function raise(end2end: string | null, answer: 'held' | 'frozen', score: string): Promise<string> {
  const { accountId } = app;
  const row = end2end === null ? undefined : await findTransaction(app.database, accountId, end2end);
  const place = { mode: 'sandbox', accountId, transactionId: row?.id ?? null } as const;
  const hit = { ...HIT, entry: `${HIT.entry}.${score}`, answer, score };
  await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
  const { rows } = await app.owner.query('select max(id)::text as id from screening_hit');
  return rows[0].id;
}

async function held(): Promise<string> {
  const end2end = await onramp();
  await trigger(end2end, 'hold');
  await trigger(end2end, 'pay');
  await until(end2end, 'compliance/UNCOMPLIANT');
  return end2end;
}

describe('a held transaction', () => {
  test('shows the hit and the customer with figures, and is released with a reason', async () => {
    const end2end = await held();
    await raise(end2end, 'held', '0.96');
    const path = pathOf('HOLD', end2end);
    const page = await read(path);
    for (const text of [
      'Screening matched “Ana Souza” with “Ana Sousa” on the list un: entry QDi.7.0.96, score 0.96.',
      'Volume of 30 days',
      'Daily limit per customer',
      '529.982.247-25',
      'The transaction continues from where it stopped.',
    ])
      expect(page).toContain(text);
    expect(formsOn(page).toSorted()).toEqual(
      [
        'ConfirmScreeningHit',
        'DismissScreeningHit',
        'FreezeCustomer',
        'RejectHold',
        'ReleaseHold',
      ].toSorted(),
    );
    await expectNoForms(path, true);
    const decided = await settle(path, 'ReleaseHold');
    expect(decided).toContain('Hold released');
    // The account holder reads who decided and why in the case, as in the audit log.
    expect(await read(path, owner)).toContain('Hold released');
  });

  test('is rejected with a reason', async () => {
    expect(await settle(pathOf('HOLD', await held()), 'RejectHold')).toContain('Hold rejected');
  });

  test('that nothing on record explains says so', async () => {
    expect(await read(pathOf('HOLD', await held()))).toContain(
      'No hit, limit or identity check is on record',
    );
  });

  test('C-25: that is frozen is released by two people', async () => {
    const end2end = await held();
    await app.owner.query(
      `update transaction set process = jsonb_set(process::jsonb, '{isFrozen}', 'true') where end2end = $1`,
      [end2end],
    );
    const path = pathOf('HOLD', end2end);
    const frozen = await read(path);
    expect(frozen).toContain('two people release it, and nothing goes back');
    expect(frozen).not.toContain('or reject it and send the money back');
    expect(outcomeOf(await decide(path, 'ReleaseHold', { reason: 'not the listed one' }))).toBe(
      'FIRST_OF_TWO',
    );
    const page = await read(path);
    expect(page).toContain('rosa released it first. Another person completes the release.');
    expect(page).toContain('Waits for a second person.');
    expect(await read(path, risk, 'pt')).toContain('Aguarda uma segunda pessoa.');
    expect(formsOn(page)).not.toContain('ReleaseHold');
    const again = { account: String(app.accountId), end2end, reason: 'again' };
    expect([403, 409]).toContain((await sendAnyway(path, 'ReleaseHold', again)).status);
    expect(await read(path, second)).not.toContain('Waits for a second person.');
    expect(outcomeOf(await decide(path, 'ReleaseHold', { reason: 'I agree' }, second))).toBeNull();
    const decided = await read(path);
    expect(decided).toContain('I agree');
    // Of both entries, one was the request.
    expect(decided.match(/\(request: a second person decides\)/g)).toHaveLength(1);
  });
});

describe('an extra verification', () => {
  test.each(['ApproveStepUp', 'DenyStepUp'])('is decided by %s with a reason', async (action) => {
    const end2end = await onramp('sandbox:step-up-require');
    await until(end2end, 'valida_id/PENDING');
    const path = pathOf('STEP_UP', end2end);
    expect(formsOn(await read(path)).toSorted()).toEqual(['ApproveStepUp', 'DenyStepUp', 'FreezeCustomer']);
    await expectNoForms(path, true);
    await settle(path, action);
  });

  test('above the limit of 30 days shows the limit and the volume', async () => {
    const limit = (brl: number) =>
      app.owner.query('update template_setting set customer_step_up_30d = $2 where account_id = $1', [
        ...[String(app.accountId), brl],
      ]);
    await limit(100);
    const end2end = await onramp('sandbox:step-up-require');
    await until(end2end, 'valida_id/PENDING');
    expect(await read(pathOf('STEP_UP', end2end))).toMatch(
      /the customer passed R\$100\.00 in 30 days, above which extra verification is required\. Volume of 30 days now: R\$[\d,.]+\./,
    );
    await limit(10_000);
  });
});

test('an identity check: a frozen customer is unfrozen by two people, then approved', async () => {
  const taxId = '39053344705';
  const { freezeCustomer } = await ask(
    'mutation ($account: String!, $taxId: String!) { freezeCustomer(input: { account: $account, taxId: $taxId, reason: "court order" }) { customerCase { caseId } errors { code } } }',
    { account: String(app.accountId), taxId },
    app.platformKey,
  );
  const path = pathOf('CUSTOMER_CASE', freezeCustomer.customerCase.caseId);
  const page = await read(path);
  for (const text of [
    '390.533.447-05',
    'The customer is frozen.',
    'court order',
    'Your request is the first',
  ])
    expect(page).toContain(text);
  expect(formsOn(page)).toEqual(['UnfreezeCase']);
  await expectNoForms(path, false);
  expect(outcomeOf(await decide(path, 'UnfreezeCase', { reason: 'order withdrawn' }))).toBe('FIRST_OF_TWO');
  for (const [language, text] of [
    ['en', 'Your decision is the first of two: nothing changes until another person decides the same.'],
    ['pt', 'Sua decisão é a primeira de duas: nada muda até outra pessoa decidir o mesmo.'],
  ] as const)
    expect(await read(`${path}&done=UnfreezeCase&became=FIRST_OF_TWO`, risk, language)).toContain(text);
  const requested = await read(path);
  expect(requested).toContain('(request: a second person decides)');
  expect(requested).toContain('Waits for a second person.');
  expect(formsOn(requested)).toEqual([]);
  const { caseId: id } = freezeCustomer.customerCase;
  expect((await sendAnyway(path, 'UnfreezeCase', { id, reason: 'again' })).status).toBe(403);
  expect(await read(path, second)).toContain('rosa requested the unfreezing. Another person completes it');
  expect(outcomeOf(await decide(path, 'UnfreezeCase', { reason: 'I agree' }, second))).toBeNull();
  expect(formsOn(await read(path))).toEqual(['ApproveCase', 'DenyCase', 'RetryCase', 'FreezeCase']);
  expect(await settle(path, 'ApproveCase')).toContain('Customer check approved');
  expect(formsOn(await read(path))).toEqual(['DenyCase', 'RetryCase', 'FreezeCase']);
  await app.owner.query(`update customer_case set valid_until = '2026-01-01' where id = $1`, [id]);
  expect(formsOn(await read(path))).toEqual(['ApproveCase', 'DenyCase', 'RetryCase', 'FreezeCase']);
  expect((await decide(path, 'ApproveCase', { reason: 'checked again' })).status).toBe(303);
});

test('a customer without an identity check is frozen in the view of a payment, and by the list of customers', async () => {
  const end2end = await held();
  const path = pathOf('HOLD', end2end);
  expect((await decide(path, 'FreezeCustomer', { reason: ' ' })).status).toBe(400);
  expect((await decide(path, 'FreezeCustomer', { reason: 'court order 17' })).status).toBe(303);
  const page = await read(path);
  expect(formsOn(page)).not.toContain('FreezeCustomer');
  expect(page).toContain('The customer is frozen. Two people unfreeze the customer before any money moves.');
  const account = `/console/accounts/${app.accountId}?x`;
  expect(formsOn(await read(account, books))).not.toContain('FreezeCustomer');
  const listed = await read(account);
  const [, caseId = ''] = /CUSTOMER_CASE%3A\d+%3A(\d+)/.exec(listed) ?? [];
  expect(await read(account, risk, 'pt')).toContain('Cliente bloqueado');
  for (const person of [risk, second])
    expect(
      (await decide(pathOf('CUSTOMER_CASE', caseId), 'UnfreezeCase', { reason: 'withdrawn' }, person)).status,
    ).toBe(303);
  expect(await read(account)).not.toContain('Customer frozen');
  // Also one whom no transaction names yet, by the CPF.
  const unknown = { account: String(app.accountId), taxId: '111.444.777-35', reason: 'court order 18' };
  expect((await sendAnyway(account, 'FreezeCustomer', { ...unknown, taxId: '1' })).status).toBe(400);
  expect((await sendAnyway(account, 'FreezeCustomer', unknown)).status).toBe(303);
  const again = await sendAnyway(account, 'FreezeCustomer', unknown);
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining('This customer is frozen already.'),
  ]);
  expect((await sendAnyway(account, 'FreezeCustomer', unknown, books)).status).toBe(403);
});

test.each([
  ['DismissScreeningHit', '0.81', 'Screening hit dismissed'],
  ['ConfirmScreeningHit', '0.82', 'Screening hit confirmed'],
])('a hit of screening is decided by %s with a reason', async (action, score, text) => {
  const path = pathOf('SCREENING_HIT', await raise(null, 'held', score));
  const page = await read(path);
  for (const shown of ['Ana Sousa', `QDi.7.${score}`, 'un (2026-11-28)', 'same name', 'It is someone else.'])
    expect(page).toContain(shown);
  expect(formsOn(page)).toEqual(['DismissScreeningHit', 'ConfirmScreeningHit', 'FreezeCustomer']);
  await expectNoForms(path, false);
  expect(await settle(path, action)).toContain(text);
});

test('money in suspense is sent back with a reason; the notes stay with the decided case', async () => {
  const end2end = await onramp();
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  await trigger(end2end, 'pay');
  const find = async () => {
    const { suspense } = await ask('{ suspense(state: OPEN) { nodes { suspenseId } } }');
    expect(suspense.nodes).toHaveLength(1);
    return suspense.nodes[0].suspenseId;
  };
  const path = pathOf('SUSPENSE', await vi.waitFor(find, PATIENCE));
  expect(formsOn(await read(path)).toSorted()).toEqual(['AssignSuspense', 'ReturnSuspense']);
  await expectNoForms(path, true);
  const elsewhere = { account: String((await app.addAccount()).accountId), reason: 'theirs' };
  expect(outcomeOf(await decide(path, 'AssignSuspense', elsewhere))).toBe('FIRST_OF_TWO');
  const proposed = await read(path);
  expect([proposed.includes('Waits for a second person.'), formsOn(proposed)]).toEqual([
    true,
    ['RejectSuspense'],
  ]);
  expect(formsOn(await read(path, second)).toSorted()).toEqual(['ApproveSuspense', 'RejectSuspense']);
  expect((await decide(path, 'RejectSuspense', { reason: 'not theirs' })).status).toBe(303);
  const note = await visit(app, risk, '/console/acts/AddReviewNote', {
    form: {
      back: path,
      id: new URL(path, app.baseUrl).searchParams.get('id') ?? '',
      body: 'Called the payer',
    },
  });
  expect(note.status).toBe(303);
  const decided = await settle(path, 'ReturnSuspense');
  expect(decided).toContain('Unidentified payment sent back');
  expect(decided).toContain('Called the payer');
});

test('a decided case without a record of its own stays readable by its decision; one that never was is missing', async () => {
  const pause = async (name: string, reason: string) =>
    ask(
      `mutation { ${name}(input: { network: "TRX"${reason} }) { sending { network } errors { code message } } }`,
      {},
      app.platformKey,
    );
  await pause('pauseNetwork', ', reason: "node is behind"');
  const path = `/console/review/case?id=${encodeURIComponent('PAUSED_NETWORK:0:TRX')}`;
  const page = await read(path);
  expect(page).toContain('node is behind');
  expect(formsOn(page)).toEqual(['ResumeNetwork']);
  await pause('resumeNetwork', '');
  expect(await read(path)).toContain('Network resumed');
  for (const id of ['PAUSED_NETWORK:0:none', 'SCREENING_HIT:1:1', 'CUSTOMER_CASE:1:1', 'JOURNAL:1:999'])
    expect((await visit(app, risk, `/console/review/case?id=${encodeURIComponent(id)}`)).status).toBe(404);
});

describe('records that belong to a case', () => {
  test('payments and other cases of the customer are listed with links, in both languages', async () => {
    const path = pathOf('HOLD', await onramp());
    const page = await read(path);
    for (const text of [
      'Same customer',
      'Other cases of this customer',
      'Compliance hold: CRX',
      'Hold released',
    ])
      expect(page).toContain(text);
    expect(page).toMatch(/Completed: \d+ \(R\$[\d,.]+\)/);
    expect(page).toMatch(/href="\/console\/review\/case\?id=SCREENING_HIT%3A\d+%3A\d+"/);
    const translated = await read(path, risk, 'pt');
    for (const text of ['Mesmo cliente', 'Outros casos deste cliente']) expect(translated).toContain(text);
    const own = await read(path, owner);
    expect(own).toContain('Same customer');
    expect(own).not.toContain('Ana Sousa');
  });

  test('orders that money in suspense may be for are listed with the reasons', async () => {
    await onramp();
    const settledAtMs = await app.services.clock.nowMs();
    const payer = { payerTaxId: TAX_ID, payerName: 'SOUZA ANA' };
    await app.services.receive(newPayment({ txid: null, amount: 15_000n, settledAtMs, ...payer }));
    const { suspense } = await ask(
      '{ suspense(first: 1, state: OPEN) { nodes { suspenseId account } } }',
      {},
      app.platformKey,
    );
    const [{ suspenseId, account }] = suspense.nodes;
    const path = `/console/review/case?id=${encodeURIComponent(`SUSPENSE:${account}:${suspenseId}`)}`;
    const page = await read(path);
    for (const text of ['Orders it may be for', 'same payer, same name, same amount', 'SOUZA ANA'])
      expect(page).toContain(text);
    const translated = await read(path, risk, 'pt');
    for (const text of ['Pedidos possíveis', 'mesmo pagador, mesmo nome, mesmo valor'])
      expect(translated).toContain(text);
    expect((await visit(app, owner, path)).status).toBe(404);
  });
});
