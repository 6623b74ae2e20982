/** A mail server on this machine: keeps what it gets, and answers as it is told. It speaks as much SMTP as a sender needs. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { eventually } from './receiver.ts';

/** A message as it came. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** Header fields in lower case; encoded words are decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Answer to a recipient or to the content; `cut` closes the connection, `trickle` goes on with an answer that never ends. */
export type MailBehaviour =
  | 'accept'
  | 'cut'
  | 'trickle'
  | { readonly at: 'RCPT' | 'DATA'; readonly reply: string };

/** The server. */
export interface SmtpReceiver {
  /** `smtp://127.0.0.1:<port>`. */
  readonly url: () => string;
  /** Messages to an address, in their order. */
  readonly to: (address: string) => ReceivedMail[];
  /** From now on messages to the address are answered so. */
  readonly answer: (address: string, behaviour: MailBehaviour) => void;
  readonly until: (address: string, count: number) => Promise<ReceivedMail[]>;
  /** Number of open connections. */
  readonly connections: () => number;
}

/** Starts a server before the tests of the file and ends it after them. */
export function useSmtp(): SmtpReceiver {
  const received: ReceivedMail[] = [];
  const behaviours = new Map<string, MailBehaviour>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => {}));
    converse(
      socket,
      (to) => behaviours.get(to) ?? 'accept',
      (mail) => received.push(mail),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    for (const socket of open) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const to = (address: string) => received.filter((mail) => mail.to === address);
  return {
    url: () => `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to,
    answer: (address, behaviour) => behaviours.set(address, behaviour),
    connections: () => open.size,
    until: (address, count) =>
      eventually(`${count} messages to ${address}`, () =>
        to(address).length >= count ? to(address) : undefined,
      ),
  };
}

function converse(
  socket: Socket,
  behaviourOf: (to: string) => MailBehaviour,
  keep: (mail: ReceivedMail) => void,
): void {
  let buffered = '';
  let [from, to, isData] = ['', '', false];
  const translate = (line: string) => socket.write(`${line}\r\n`);
  const command = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') return translate('250 receiver.invalid');
    if (verb === 'MAIL') {
      from = /<([^>]*)>/.exec(line)?.[1] ?? '';
      return translate('250 OK');
    }
    if (verb === 'RCPT') {
      to = /<([^>]*)>/.exec(line)?.[1] ?? '';
      const behaviour = behaviourOf(to);
      if (behaviour === 'cut') return socket.destroy();
      if (behaviour === 'trickle') return trickle(socket);
      return translate(typeof behaviour === 'object' && behaviour.at === 'RCPT' ? behaviour.reply : '250 OK');
    }
    if (verb === 'DATA') {
      isData = true;
      return translate('354 Go on');
    }
    translate(verb === 'QUIT' ? '221 Bye' : '250 OK');
    if (verb === 'QUIT') socket.end();
  };
  const content = (whole: string) => {
    const behaviour = behaviourOf(to);
    if (typeof behaviour === 'object' && behaviour.at === 'DATA') return translate(behaviour.reply);
    keep({ from, to, ...parsed(whole) });
    translate('250 Kept');
  };
  translate('220 receiver.invalid ESMTP');
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1');
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n';
      const at = buffered.indexOf(end);
      if (at < 0) return;
      const part = buffered.slice(0, at);
      buffered = buffered.slice(at + end.length);
      if (isData) {
        isData = false;
        content(part);
      } else command(part);
    }
  });
}

/** Never silent, so that no limit of silence ends it. */
function trickle(socket: Socket): void {
  const timer = setInterval(() => socket.write('250-Still\r\n'), 20);
  socket.on('close', () => clearInterval(timer));
}

function parsed(whole: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const at = whole.indexOf('\r\n\r\n');
  const head = whole.slice(0, at).replace(/\r\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodedWords(line.slice(colon + 1).trim())];
    }),
  );
  const body = whole.slice(at + 4);
  const isQuoted = headers['content-transfer-encoding'] === 'quoted-printable';
  const isBase64 = headers['content-transfer-encoding'] === 'base64';
  const bytes = isBase64
    ? Buffer.from(body, 'base64')
    : Buffer.from(isQuoted ? unquoted(body) : body, 'latin1');
  return { headers, text: bytes.toString('utf8').replaceAll('\r\n', '\n') };
}

function unquoted(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodedWords(text: string): string {
  return text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) => {
      const bytes =
        kind.toUpperCase() === 'B'
          ? Buffer.from(word, 'base64')
          : Buffer.from(unquoted(word.replaceAll('_', ' ')), 'latin1');
      return bytes.toString('utf8');
    });
}
