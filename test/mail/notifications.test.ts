/**
 * Goal: owners are told by e-mail of what lets somebody in or money out, once for each; others choose it; what a mail server refuses or
 * does not take is tried again within bounds (decision 0087). Method: the application with its worker of mail, a mail server on this machine.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '../../src/base/access/roles.ts';
import { createDigests } from '../../src/mail/digest.ts';
import { createSender, type Sender } from '../../src/mail/sender.ts';
import { runDigests, sendDue, startMail } from '../../src/mail/worker.ts';
import { receiptLetter } from '../../src/pages/receipt-letter.ts';
import { addressNotifications, claimMail, endMail } from '../../src/store/people/notification-mails.ts';
import { startWebhooks } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { eventually, useReceiver } from '../support/receiver.ts';
import { errorsIn } from '../support/refusals.ts';
import { useSmtp } from '../support/smtp.ts';
import { openOnramp, SILENT } from '../support/webhooks.ts';

const app = useApp({ mail: { url: 'smtp://127.0.0.1:1', from: 'gateway@shop.invalid' } });
const smtp = useSmtp();
const receiver = useReceiver();
let sender: Sender;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let owner: SignedInForTest;
let place = 0;

beforeAll(() => {
  sender = createSender({ url: smtp.url(), from: 'Gateway <gateway@shop.invalid>' });
});
beforeEach(async () => {
  await app.owner.query('delete from notification');
  await app.owner.query('delete from notification_digest');
  shop = await app.addAccount();
  place += 1;
  owner = await join('owner');
  // The invitation of the owner tells of itself; it is not what the tests are about.
  await app.owner.query('delete from notification');
});

const { fund } = graphqlClient(app, () => shop.apiKey);
const address = (name: string) => `${name}-${place}@shop.invalid`;
const join = (role: Role, name: string = role) =>
  signInAs(app, shop.accountId, { email: address(name), role });
const send = () => sendDue(app.services, SILENT, sender);
const choose = (person: SignedInForTest, kinds: string[], language = 'EN') =>
  person.graphql(
    'mutation ($kinds: [NotificationKind!]!, $language: NotificationLanguage!) { chooseNotifications(input: { kinds: $kinds, language: $language }) { notifications { email isSending language kinds { kind isOn } } errors { code message path } } }',
    { kinds, language },
  );
const newKey = () =>
  app.graphql(
    'mutation { createApiKey(input: { name: "shop server", scopes: ["read"] }) { issuedApiKey { apiKey } errors { code message path } } }',
    {},
    { key: shop.apiKey },
  );
/** Everything is due at once, and nobody got an e-mail a moment ago. */
const later = () =>
  app.owner.query(
    `update notification_mail set due_at = now(), leased_until = null, ended_at = ended_at - interval '1 hour'`,
  );

describe('an owner', () => {
  test('is notified once of a new key, with its name and a link, and without a secret', async () => {
    const { json } = await newKey();
    const { apiKey } = json.data.createApiKey.issuedApiKey;
    await send();
    await later();
    await send();
    const mails = smtp.to(address('owner'));
    expect(mails).toHaveLength(1);
    expect(mails[0]?.headers).toMatchObject({
      from: 'Gateway <gateway@shop.invalid>',
      subject: '[Sandbox] Nova chave de API: Another',
    });
    expect(mails[0]?.text).toContain('shop server');
    expect(mails[0]?.text).toContain('/console/developers');
    expect(mails[0]?.text).toContain('/console/settings#notifications');
    expect(mails[0]?.text).not.toContain(apiKey);
  });

  test('is notified of an invitation, without the name of the person', async () => {
    await join('viewer', 'vera');
    await send();
    const [mail] = await smtp.until(address('owner'), 1);
    expect(mail?.text).toContain('Uma pessoa foi convidada');
    expect(mail?.text).not.toContain('vera');
  });

  test('is notified when a protection is weakened, but not when it is strengthened', async () => {
    const set = (input: string) =>
      app.graphql(
        `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { approvalAbove } errors { code message path } } }`,
        {},
        { key: shop.apiKey },
      );
    await set('approvalAbove: "100"');
    await send();
    expect(smtp.to(address('owner'))).toEqual([]);
    await set('approvalAbove: "500"');
    await send();
    const [mail] = await smtp.until(address('owner'), 1);
    expect(mail?.text).toContain('Segunda aprovação acima de');
  });

  test('gets simultaneous notifications in one e-mail, at most one a minute', async () => {
    await newKey();
    await newKey();
    await send();
    expect(smtp.to(address('owner')).map(({ headers }) => headers.subject)).toEqual([
      '[Sandbox] 2 avisos: Another',
    ]);
    await newKey();
    await send();
    expect(smtp.to(address('owner'))).toHaveLength(1);
    await later();
    await send();
    expect(smtp.to(address('owner'))).toHaveLength(2);
  });
});

describe('a webhook endpoint', () => {
  test('causes one notification when it is disabled, in the same database transaction', async () => {
    const worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
    try {
      await app.graphql(
        `mutation { createWebhookEndpoint(input: { url: "${receiver.url(`gone-${place}`)}" }) { webhookEndpoint { endpointId } errors { code message path } } }`,
        {},
        { key: shop.apiKey },
      );
      receiver.answer(`gone-${place}`, { status: 410 });
      await openOnramp(app, shop.apiKey);
      await eventually('the end of the endpoint', async () => {
        const { rows } = await app.owner.query('select from notification where kind = $1', ['endpoint']);
        return rows.length > 0;
      });
    } finally {
      await worker.stop();
    }
    await send();
    const [mail] = await smtp.until(address('owner'), 1);
    expect(mail?.text).toContain(`${receiver.url(`gone-${place}`)} foi desativado`);
    const { rows } = await app.owner.query('select from notification where kind = $1', ['endpoint']);
    expect(rows).toHaveLength(1);
  });
});

describe('money out', () => {
  test('that is held causes a notification with its id, and without the payee', async () => {
    const update = (input: string) =>
      app.graphql(
        `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { approvalAbove } errors { code message path } } }`,
        {},
        { key: shop.apiKey },
      );
    await update('approvalAbove: "0"');
    await fund('USDT_TRX', '1000');
    const { json, status } = await app.post(
      '/v2/offramp',
      {
        ...{ amount_sent: 100, currency_entry_paid_code: 'USDT_TRX' },
        ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
        ...{ pix_key: 'ana@example.com', pix_key_type: 'email' },
      },
      { key: shop.apiKey },
    );
    expect([status, json]).toEqual([201, expect.anything()]);
    await send();
    const [mail] = await smtp.until(address('owner'), 1);
    expect(mail?.text).toContain(`A saída de ${json.end2end}`);
    expect(mail?.text).not.toContain('Ana');
    expect(mail?.text).not.toContain('ana@example.com');
  });
});

describe('a digest', () => {
  test('is made once a day, for accounts with waiting work', async () => {
    await app.owner.query(`update api_key set expires_at = now() + interval '3 days' where account_id = $1`, [
      String(shop.accountId),
    ]);
    // By the clock of Brasília it may be before eight: then nothing is made, and there is nothing to see.
    const nowMs = Date.parse('2026-12-01T15:00:00Z');
    const database = Object.create(app.services.database, { nowMs: { value: () => nowMs } });
    const services = { ...app.services, database };
    await createDigests(services, SILENT)('sandbox');
    await app.owner.query('delete from notification where account_id <> $1', [String(shop.accountId)]);
    await send();
    const mails = await smtp.until(address('owner'), 1);
    expect(mails[0]?.headers.subject).toBe('[Sandbox] Pendências: Another');
    expect(mails[0]?.text).toContain('- Chaves de API que expiram em até 14 dias: 1');
    await createDigests(services, SILENT)('sandbox');
    await later();
    await send();
    expect(smtp.to(address('owner'))).toHaveLength(1);
  });
});

describe('an account whose digest fails', () => {
  test('is logged once, and does not delay the digests of others, however many fail', async () => {
    const failing = new Set<bigint>();
    for (let count = 0; count < 21; count += 1) {
      const { accountId } = await app.addAccount();
      failing.add(accountId);
      await signInAs(app, accountId, { email: `f${accountId}@shop.invalid`, role: 'owner' });
    }
    const last = await app.addAccount();
    await signInAs(app, last.accountId, { email: `l${last.accountId}@shop.invalid`, role: 'owner' });
    await app.owner.query(`update api_key set expires_at = now() + interval '3 days' where account_id = $1`, [
      String(last.accountId),
    ]);
    const nowMs = Date.parse('2026-12-01T15:00:00Z');
    const { database: real } = app.services;
    const fails = (values: readonly unknown[]) => values.some((each) => failing.has(each as bigint));
    const query = (statement: { readonly name: string }, values: readonly unknown[]) =>
      statement.name !== 'notification_digest_due' && fails(values)
        ? Promise.reject(new Error('broken'))
        : real.query(statement as never, values as never);
    const database = Object.create(real, { nowMs: { value: () => nowMs }, query: { value: query } });
    const forMode = (mode: never) => ({ ...app.services.forMode(mode), database });
    const lines: object[] = [];
    const log = { ...SILENT, warn: (facts: object) => lines.push(facts) };
    const digests = createDigests({ ...app.services, database, forMode } as never, log as never);
    await digests('sandbox');
    await digests('sandbox');
    expect(lines).toHaveLength(failing.size);
    const { rows } = await app.owner.query(
      `select account_id::text as id from notification where kind = 'waiting' and account_id = $1`,
      [String(last.accountId)],
    );
    expect(rows).toEqual([{ id: String(last.accountId) }]);
  });

  test('does not delay the digests of the other mode', async () => {
    const digests: string[] = [];
    const modes = async (mode: string) => {
      digests.push(mode);
      if (mode === 'sandbox') throw new Error('broken');
    };
    await runDigests(modes as never, SILENT);
    expect(digests).toEqual(['sandbox', 'live']);
  });
});

describe('a choice', () => {
  test('of kinds and language belongs to a person and an account', async () => {
    const viewer = await join('viewer', 'vera');
    await app.owner.query('delete from notification');
    const before = await viewer.graphql(
      '{ viewer { person { notifications { isSending email language kinds { kind isOn } } } } }',
    );
    expect(before.json.data.viewer.person.notifications).toEqual({
      isSending: true,
      email: address('vera'),
      language: 'PT',
      kinds: ['PROTECTION', 'OUTFLOW', 'WAITING'].map((kind) => ({ kind, isOn: false })),
    });
    const chosen = await choose(owner, ['INVITATION']);
    expect(chosen.json.data.chooseNotifications.notifications).toMatchObject({ language: 'EN' });
    await newKey();
    await join('viewer', 'otto');
    await send();
    const mails = await smtp.until(address('owner'), 1);
    expect(mails.map(({ headers }) => headers.subject)).toEqual(['[Sandbox] New member invited: Another']);
    // A kind that the role does not get has no effect.
    await choose(viewer, ['KEY']);
    await newKey();
    await send();
    expect(smtp.to(address('vera'))).toEqual([]);
  });

  test('is only for people: a key has none, and cannot make one', async () => {
    const { json } = await app.graphql(
      'mutation { chooseNotifications(input: { kinds: [KEY], language: EN }) { errors { code message path } } }',
      {},
      { key: shop.apiKey },
    );
    expect(errorsIn(json)?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  test('ends with the membership: waiting messages to a removed person are not sent', async () => {
    const other = await join('owner', 'olga');
    await app.owner.query('delete from notification');
    await newKey();
    smtp.answer(address('olga'), { at: 'RCPT', reply: '451 Later' });
    await send();
    await app.owner.query('delete from membership where account_id = $1 and person_id = $2', [
      String(shop.accountId),
      other.personId,
    ]);
    smtp.answer(address('olga'), 'accept');
    await later();
    await send();
    expect(smtp.to(address('olga'))).toEqual([]);
  });
});

describe('a message', () => {
  const states = async () => {
    const { rows } = await app.owner.query('select state, attempts, last_error from notification_mail');
    return rows;
  };

  test('that a server refuses temporarily is sent later, under the same id', async () => {
    smtp.answer(address('owner'), { at: 'DATA', reply: '451 Later' });
    await newKey();
    await send();
    expect(await states()).toMatchObject([{ state: 'pending', attempts: 1 }]);
    // Not before its time.
    await send();
    expect(await states()).toMatchObject([{ attempts: 1 }]);
    smtp.answer(address('owner'), 'accept');
    await later();
    await send();
    expect(await states()).toMatchObject([{ state: 'sent', attempts: 2, last_error: null }]);
    expect(smtp.to(address('owner'))).toHaveLength(1);
  });

  test('that is refused permanently, or seven times, has failed', async () => {
    smtp.answer(address('owner'), { at: 'RCPT', reply: '550 No such mailbox' });
    await newKey();
    await send();
    expect(await states()).toMatchObject([{ state: 'failed', attempts: 1 }]);
    await app.owner.query('delete from notification');
    smtp.answer(address('owner'), { at: 'RCPT', reply: '452 Full' });
    await newKey();
    for (let count = 0; count < 9; count += 1) {
      await send();
      await later();
    }
    expect(await states()).toMatchObject([{ state: 'failed', attempts: 7 }]);
  });

  test('on its first attempt does not fail together with an older one on its last attempt', async () => {
    smtp.answer(address('owner'), { at: 'RCPT', reply: '452 Full' });
    await newKey();
    for (let count = 0; count < 6; count += 1) {
      await send();
      await later();
    }
    await newKey();
    await later();
    await send();
    smtp.answer(address('owner'), 'accept');
    await later();
    await send();
    expect((await states()).filter(({ state }) => state === 'sent')).toContainEqual(
      expect.objectContaining({ attempts: 2 }),
    );
  });

  test('of a process that died while sending is sent by another process after its lease', async () => {
    await newKey();
    const dies: Sender = { send: () => Promise.reject(new Error('killed')) };
    await expect(sendDue(app.services, SILENT, dies)).rejects.toThrow('killed');
    await send();
    expect(smtp.to(address('owner'))).toEqual([]);
    await later();
    await send();
    expect(smtp.to(address('owner'))).toHaveLength(1);
  });

  test('is ended only by its newer attempt if the lease of an older attempt expired while sending', async () => {
    await newKey();
    await addressNotifications(app.services.database);
    const claim = async () => {
      const mail = await claimMail(app.services.database);
      if (!mail) throw new Error('nothing is due');
      return mail;
    };
    const late = await claim();
    await later();
    const newer = await claim();
    await endMail(app.services.database, late, { state: 'failed', error: 'late' });
    expect(await states()).toMatchObject([{ state: 'pending', attempts: 2, last_error: null }]);
    await endMail(app.services.database, newer, { state: 'sent' });
    await endMail(app.services.database, late, { state: 'pending', error: 'late', delayMs: 1 });
    expect(await states()).toMatchObject([{ state: 'sent', last_error: null }]);
  });

  test('older than a day is not sent, for example when a mail server is configured later', async () => {
    await newKey();
    await app.owner.query(`update notification set at = at - interval '2 days'`);
    await send();
    expect(await states()).toEqual([]);
  });

  test('is sent once while the workers of two processes run', async () => {
    const workers = [0, 1].map(() =>
      startMail(app.services, SILENT, sender, (receipt) => receiptLetter(app.services, receipt)),
    );
    try {
      await newKey();
      await smtp.until(address('owner'), 1);
    } finally {
      await Promise.all(workers.map(({ stop }) => stop()));
    }
    expect(smtp.to(address('owner'))).toHaveLength(1);
  });
});
