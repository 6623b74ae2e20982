/**
 * Sends e-mail over SMTP. The SMTP package is loaded with the first message, so a process that sends none never loads
 * it.
 */

import { Socket } from 'node:net';
import { within } from '../base/concurrency/within.ts';
import { isThisMachine } from '../base/pages/console-url.ts';

/** Settings of the SMTP server. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  readonly url: string;
  /** Sender, as `Name <address>` or the address alone. */
  readonly from: string;
}

/** A message in plain text. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for each attempt, so that a mailbox recognises a repeated message; without angle brackets. */
  readonly messageId: string;
}

/**
 * Outcome of an attempt: accepted by the server; refused for this message, for example because the mailbox does not
 * exist; or failed for a temporary reason. `isUnreachable`: the reason affects all messages.
 */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'failed'; readonly error: string; readonly isUnreachable: boolean };

/** Sends messages. */
export interface Sender {
  /** Never throws. Lasts at most ATTEMPT_MS. */
  readonly send: (message: Message) => Promise<Outcome>;
}

/**
 * Time limit of a whole attempt, below the lease of its message. A server that keeps sending bytes would escape the
 * limit on silence. Unit: ms.
 */
export const ATTEMPT_MS = 60_000;
/** Time limits for connecting, for the greeting, and for silence. Unit: ms. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 20_000;
/** Error codes of nodemailer that concern one message: its envelope or its content. */
const OF_MESSAGE = new Set(['EENVELOPE', 'EMESSAGE']);
const PERMANENT = 500;
/** E-mail addresses, removed from the log because servers repeat them in their refusals. */
const ADDRESS = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;
const ERROR_LENGTH_MAX = 300;

/**
 * @returns a sender, which cuts the connection when an attempt takes longer than `attemptMs`. A server on another
 *   machine must offer TLS, since messages and password would be readable otherwise.
 */
export function createSender({ url, from }: MailSettings, { attemptMs } = { attemptMs: ATTEMPT_MS }): Sender {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (isSecure ? 465 : 587)),
    secure: isSecure,
    requireTLS: !isSecure && !isThisMachine(hostname),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: GREETING_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  };
  return {
    send: async ({ to, subject, text, messageId }) => {
      const socket = new Socket();
      const headers = { 'Auto-Submitted': 'auto-generated' };
      const mail = { from, to, subject, text, headers, messageId: `<${messageId}>` };
      try {
        const { createTransport } = await import('nodemailer');
        await within(attemptMs, createTransport({ ...options, socket }).sendMail(mail), () => {
          socket.destroy();
          return Object.assign(new Error('the attempt took too long'), { code: 'ETIMEDOUT' });
        });
        return { kind: 'accepted' };
      } catch (error) {
        return outcomeOf(error as MailError);
      }
    },
  };
}

interface MailError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

function outcomeOf({ code = '', responseCode = 0, message }: MailError): Outcome {
  const isOfMessage = OF_MESSAGE.has(code);
  const kind = isOfMessage && responseCode >= PERMANENT ? 'refused' : 'failed';
  return {
    kind,
    error: `${code} ${message}`.replaceAll(ADDRESS, '…').slice(0, ERROR_LENGTH_MAX),
    isUnreachable: !isOfMessage,
  };
}
