/**
 * Goal: a payer who gives an address gets one receipt, after the payment has succeeded, and nobody else gets it (decision 0100). Method: the
 * application with its pages, receipts as the worker of mail sends them, a mail server on this machine.
 */
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendReceipts } from '../../src/mail/receipts.ts';
import { endOf } from '../../src/mail/send-each.ts';
import { createSender, type Sender } from '../../src/mail/sender.ts';
import { startMail } from '../../src/mail/worker.ts';
import { receiptLetter } from '../../src/pages/receipt-letter.ts';
import { findPage, readSession } from '../../src/resolvers/payer/payment-session.ts';
import { readReceiptOffer } from '../../src/resolvers/payer/receipt-request.ts';
import { claimReceipt, endReceipt, releaseReceipts } from '../../src/store/people/receipt-mails.ts';
import { checkout, make, type Session, somebody, spaced, trigger } from '../pages/sessions.ts';
import { useApp } from '../support/app.ts';
import { signInAs } from '../support/people.ts';
import { eventually } from '../support/receiver.ts';
import { useSmtp } from '../support/smtp.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp({ mail: { url: 'smtp://127.0.0.1:1', from: 'gateway@shop.invalid' } });
const smtp = useSmtp();
let sender: Sender;
let place = 0;

const branding = (input: string) =>
  app.graphql(
    `mutation { updateBranding(input: { ${input} }) { branding { sendsReceipts } errors { code message path } } }`,
  );
const address = (name = 'ana') => `${name}-${place}@shop.invalid`;
const member = (email: string) => signInAs(app, app.accountId, { email, role: 'viewer' });
const write = (receipt: Parameters<typeof receiptLetter>[1]) => receiptLetter(app.services, receipt);
const send = (by = sender) => sendReceipts(app.services, { log: SILENT, sender: by }, write);
const page = (session: Session, path = '') =>
  app.get(`${new URL(session.link).pathname}${path}`, { key: null });
/** Sends the form as a browser without script does. */
const give = (session: Session, email: string, language = 'pt') =>
  fetch(`${session.link}/email?lang=${language}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email }),
  });
const stored = async () => {
  const { rows } = await app.owner.query('select state, email, attempts, changes from receipt_mail');
  return rows;
};
const later = () =>
  app.owner.query("update receipt_mail set due_at = now() - interval '1 second', leased_until = null");
const outcome = async ({ end2end }: Session, wanted: string) =>
  eventually(`${end2end}: ${wanted}`, async () => {
    const { rows } = await app.owner.query('select outcome from transaction where end2end = $1', [end2end]);
    return rows[0]?.outcome === wanted;
  });
async function pay(session: Session): Promise<void> {
  await trigger(app, session, 'pay');
  await outcome(session, 'SUCCESS');
}

beforeAll(() => {
  sender = createSender({ url: smtp.url(), from: 'Gateway <gateway@shop.invalid>' });
});
beforeEach(async () => {
  await app.owner.query('delete from receipt_mail');
  place += 1;
  await member(address());
  await branding('displayName: "Loja da Ana", sendsReceipts: true, showsPrice: false');
});

describe('a receipt', () => {
  test('is sent once after the success, with amounts, Brasília time and reference, and names no person', async () => {
    const payer = somebody();
    const session = await checkout(app, payer);
    expect((await give(session, ` ${address().toUpperCase()} `)).status).toBe(303);
    await send();
    expect(await stored()).toMatchObject([{ state: 'waiting', email: address(), attempts: 0 }]);
    await pay(session);
    await send();
    await later();
    await send();
    const mails = smtp.to(address());
    expect(mails.map(({ headers }) => headers.subject)).toEqual(['[Sandbox] Comprovante: Loja da Ana']);
    const text = spaced(mails[0]?.text ?? '');
    for (const part of ['Você pagou: R$ 550,00', 'Para: Loja da Ana', `Referência: ${session.end2end}`])
      expect(text).toContain(part);
    expect(text).toMatch(/Pago em: .+ \(horário de Brasília\)/);
    expect(text).toMatch(/Concluído em: .+ \(horário de Brasília\)/);
    for (const hidden of ['Maria', payer.client_tax_id, 'Cotação', 'USDT', '<', '&'])
      expect(text).not.toContain(hidden);
    expect(await stored()).toMatchObject([{ state: 'sent', email: null }]);
  });

  test('has both currencies, rate and fees exactly as on the page', async () => {
    await branding('showsPrice: true');
    const session = await checkout(app, somebody());
    await give(session, address(), 'en');
    await pay(session);
    await send();
    const text = spaced(smtp.to(address())[0]?.text ?? '');
    const shown = spaced((await page(session, '?lang=en')).text.replace(/<[^>]*>/g, '\n'));
    expect(text).toContain('You paid: R$550.00');
    for (const name of ['Converted to', 'Rate', 'Fees included']) {
      const value = new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
      expect(value).toBeTruthy();
      expect(shown).toContain(value);
    }
  });

  test('of an onramp to a wallet has the delivered amount', async () => {
    const body = { currency_exit_received_code: 'USDT_TRX', amount_payment: '50', ...somebody() };
    const session = await make(app, '/v2/onramp', body);
    await give(session, address(), 'en');
    await pay(session);
    await send();
    expect(spaced(smtp.to(address())[0]?.text ?? '')).toMatch(/(Delivered|Converted to): [\d.]+ USDT/);
  });

  test('that is requested after the success is sent as well', async () => {
    const session = await checkout(app, somebody());
    await pay(session);
    expect((await page(session, '?lang=en')).text).toContain('/email?lang=en');
    await give(session, address());
    await send();
    expect(smtp.to(address())).toHaveLength(1);
    const { text } = await page(session, '?lang=en');
    expect(text).toContain('The receipt was sent by e-mail.');
    expect(text).not.toContain('/email');
    expect(text).not.toContain(address());
    // It cannot be asked for again, by the same or another address.
    await member(address('bia'));
    expect((await give(session, address('bia'))).status).toBe(303);
    await send();
    expect(smtp.to(address('bia'))).toEqual([]);
  });

  test('is not sent without a payment, and waits for a late one', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await trigger(app, session, 'expire');
    await outcome(session, 'EXPIRED');
    await send();
    await later();
    await send();
    expect(smtp.to(address())).toEqual([]);
    expect(await stored()).toMatchObject([{ state: 'waiting' }]);
  });

  test('is sent once while two workers run', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await pay(session);
    const workers = [0, 1].map(() => startMail(app.services, SILENT, sender, write));
    try {
      await smtp.until(address(), 1);
    } finally {
      await Promise.all(workers.map(({ stop }) => stop()));
    }
    expect(smtp.to(address())).toHaveLength(1);
  });
});

describe('an attempt', () => {
  test('of a killed worker is repeated once after its lease, under the same id', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await pay(session);
    const ids: string[] = [];
    const dies: Sender = {
      send: ({ messageId }) => {
        ids.push(messageId);
        return Promise.reject(new Error('killed'));
      },
    };
    await expect(send(dies)).rejects.toThrow('killed');
    await send();
    expect(smtp.to(address())).toEqual([]);
    await later();
    await send();
    await later();
    await send();
    expect(smtp.to(address()).map(({ headers }) => headers['message-id'])).toEqual(
      ids.map((id) => `<${id}>`),
    );
  });

  test('that ends after a newer one began changes nothing', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await pay(session);
    const { database } = app.services;
    const claim = async () => {
      const receipt = await claimReceipt(database);
      if (!receipt) throw new Error('nothing is due');
      return receipt;
    };
    await releaseReceipts(database);
    const old = await claim();
    await later();
    const newer = await claim();
    await endReceipt(database, old, { state: 'failed', error: 'late' });
    expect(await stored()).toMatchObject([{ state: 'pending', email: address(), attempts: 2 }]);
    await endReceipt(database, newer, { state: 'sent' });
    expect(await stored()).toMatchObject([{ state: 'sent', email: null }]);
  });

  test('that is refused permanently ends the receipt; the payer can enter another address', async () => {
    smtp.answer(address(), { at: 'RCPT', reply: '550 No such mailbox' });
    const session = await checkout(app, somebody());
    await give(session, address());
    await pay(session);
    await send();
    expect(await stored()).toMatchObject([{ state: 'failed', email: null }]);
    expect((await page(session, '?lang=en')).text).toContain('The receipt could not be sent by e-mail.');
    await member(address('bia'));
    await give(session, address('bia'));
    await send();
    expect(smtp.to(address('bia'))).toHaveLength(1);
  });

  test('for which no e-mail can be written is retried, and does not delay other receipts', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await pay(session);
    const broken = () => Promise.reject(new Error('broken'));
    await sendReceipts(app.services, { log: SILENT, sender }, broken);
    expect(await stored()).toMatchObject([{ state: 'pending', attempts: 1 }]);
    const refused = { kind: 'failed', error: '', isUnreachable: false } as const;
    expect([endOf(refused, 1).state, endOf(refused, 7).state]).toEqual(['pending', 'failed']);
    await later();
    await send();
    expect(smtp.to(address())).toHaveLength(1);
  });
});

describe('a receipt is not offered', () => {
  test('unless the account has enabled it, which is in the audit log', async () => {
    const session = await checkout(app, somebody());
    await give(session, address());
    await branding('sendsReceipts: false');
    expect((await page(session)).text).not.toContain('/email');
    expect((await give(session, address())).status).toBe(404);
    await pay(session);
    await send();
    expect(smtp.to(address())).toEqual([]);
    const { rows } = await app.owner.query(
      `select before, after from audit_entry where act = 'branding.update' order by seq desc limit 1`,
    );
    expect(rows[0]).toMatchObject({ before: { sendsReceipts: true }, after: { sendsReceipts: false } });
    const { accountId, apiKey } = await app.addAccount();
    expect(accountId).not.toBe(app.accountId);
    const { json } = await app.graphql(
      '{ viewer { account { branding { sendsReceipts } } } }',
      {},
      { key: apiKey },
    );
    expect(json.data.viewer.account.branding).toEqual({ sendsReceipts: false });
  });

  test('if the gateway has no mail server, or before there is something to pay', async () => {
    const session = await checkout(app, somebody());
    const token = new URL(session.link).pathname.split('/').at(-1) ?? '';
    const row = await findPage(app.services, token);
    if (!row) throw new Error('no session');
    const read = await readSession(app.services, row);
    expect(await readReceiptOffer(app.services, read)).toEqual({ state: 'none', isOpen: true });
    expect(await readReceiptOffer({ ...app.services, sendsMail: false }, read)).toBeNull();
    const unknown = await checkout(app);
    expect((await page(unknown)).text).not.toContain('/email');
    expect((await give(unknown, address())).status).toBe(303);
    expect(await stored()).toEqual([]);
  });
});

describe('the form', () => {
  test('has its own page, which does not reload, in both languages', async () => {
    const session = await checkout(app, somebody());
    const { status, text } = await page(session, '/email?lang=en');
    expect(status).toBe(200);
    expect(text).toContain('E-mail for the receipt');
    expect(text).not.toContain('http-equiv="refresh"');
    expect((await page(session, '/email?lang=pt')).text).toContain('E-mail para o comprovante');
    // Both keep the budget of the payer's pages.
    for (const each of [text, (await page(session, '?lang=pt')).text])
      expect(gzipSync(each).length).toBeLessThanOrEqual(8_000);
  });

  test.each([
    'ana',
    'ana@shop',
    'ana@shop.invalid, bia@shop.invalid',
    'a b@shop.invalid',
    `${'x'.repeat(250)}@a.bc`,
  ])('refuses %j, as other addresses in the house are, and shows it again', async (email) => {
    const session = await checkout(app, somebody());
    const answer = await give(session, email, 'en');
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain('Enter an e-mail address such as ana@example.com');
    expect(text).toContain(`value="${email}"`);
    expect(await stored()).toEqual([]);
  });

  test('of a test account accepts only addresses of its members', async () => {
    const session = await checkout(app, somebody());
    expect((await give(session, 'stranger@elsewhere.invalid')).status).toBe(400);
    expect(await stored()).toEqual([]);
  });

  test('is refused if another site sent it', async () => {
    const session = await checkout(app, somebody());
    const answer = await fetch(`${session.link}/email`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ email: address() }),
    });
    expect([answer.status, await stored()]).toEqual([403, []]);
  });

  test('accepts up to three changes of the address; only the last address gets the receipt, and no page shows any', async () => {
    const names = ['ana', 'bia', 'caio', 'davi', 'eva'];
    for (const name of names.slice(1)) await member(address(name));
    const session = await checkout(app, somebody());
    for (const name of names) await give(session, address(name));
    expect(await stored()).toMatchObject([{ email: address('davi'), changes: 3 }]);
    const { text } = await page(session, '?lang=en');
    expect(text).toContain('The receipt will be sent by e-mail.');
    expect(text).not.toContain('shop.invalid');
    // The address of the form leads back to the page.
    expect((await page(session, '/email?lang=en')).text).not.toContain('E-mail for the receipt');
    await pay(session);
    await send();
    expect(names.map((name) => smtp.to(address(name)).length)).toEqual([0, 0, 0, 1, 0]);
  });
});
