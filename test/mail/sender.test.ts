/** Goal: a message goes out over SMTP, and its outcome says whether to try again. Method: the real package, a mail server on this machine. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { ATTEMPT_MS, createSender } from '../../src/mail/sender.ts';
import { LEASE_SECONDS } from '../../src/store/people/notification-mails.ts';
import { eventually } from '../support/receiver.ts';
import { useSmtp } from '../support/smtp.ts';

const smtp = useSmtp();
const FROM = 'Gateway <gateway@shop.invalid>';
const message = (to: string) => ({
  to,
  subject: 'Saída de dinheiro',
  text: 'Olá\nç 1\n',
  messageId: '1.2.3@shop.invalid',
});
const send = (to: string, url = smtp.url()) => createSender({ url, from: FROM }).send(message(to));

test('a message arrives whole, with its id, as one that a program wrote', async () => {
  expect(await send('ana@shop.invalid')).toEqual({ kind: 'accepted' });
  const [mail] = smtp.to('ana@shop.invalid');
  expect(mail?.from).toBe('gateway@shop.invalid');
  expect(mail?.text.trim()).toBe('Olá\nç 1');
  expect(mail?.headers).toMatchObject({
    subject: 'Saída de dinheiro',
    'message-id': '<1.2.3@shop.invalid>',
    'auto-submitted': 'auto-generated',
  });
});

test.each([
  ['an unknown mailbox is refused', { at: 'RCPT', reply: '550 No such mailbox' }, 'refused', false],
  ['a content that is not taken is refused', { at: 'DATA', reply: '554 No' }, 'refused', false],
  ['a full mailbox may have room later', { at: 'RCPT', reply: '452 Full' }, 'failed', false],
  ['a connection that ends says nothing of the message', 'cut', 'failed', true],
] as const)('%s', async (name, behaviour, kind, isUnreachable) => {
  const to = `${name.replaceAll(' ', '.')}@shop.invalid`;
  smtp.answer(to, behaviour);
  expect(await send(to)).toMatchObject({ kind, isUnreachable });
});

test('an address that a server repeats is in no error', async () => {
  const to = 'repeated@shop.invalid';
  smtp.answer(to, { at: 'RCPT', reply: `550 <${to}> unknown` });
  expect(await send(to)).toMatchObject({ kind: 'refused', error: expect.stringMatching(/550 <…> unknown/) });
});

test('a server that is never silent and never done is left at the end of the whole attempt, which is before that of its lease', async () => {
  expect(ATTEMPT_MS).toBeLessThan(LEASE_SECONDS * 1_000);
  smtp.answer('slow@shop.invalid', 'trickle');
  const sender = createSender({ url: smtp.url(), from: FROM }, { attemptMs: 300 });
  expect(await sender.send(message('slow@shop.invalid'))).toMatchObject({
    ...{ kind: 'failed', isUnreachable: true },
    error: expect.stringContaining('ETIMEDOUT'),
  });
  await eventually('the end of its connection', () => smtp.connections() === 0);
});

test('a server that is not there fails, and its password is in no error', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const outcome = await send('ana@shop.invalid', `smtp://user:hidden@127.0.0.1:${port}`);
  expect(outcome).toMatchObject({ kind: 'failed', isUnreachable: true });
  expect(JSON.stringify(outcome)).not.toContain('hidden');
});
