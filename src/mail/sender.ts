/** Sends e-mail over SMTP. The package for it is loaded with the first message: a process that sends none does without. */

import { Socket } from 'node:net';
import { within } from '../base/concurrency/within.ts';
import { isThisMachine } from '../base/pages/console-url.ts';

/** Settings of the outgoing server. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with user and password where the server wants them. */
  readonly url: string;
  /** Sender, as `Name <address>` or the address alone. */
  readonly from: string;
}

/** A message in plain text. */
export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for each attempt, so that a mailbox knows a repeated message; without angle brackets. */
  readonly messageId: string;
}

/**
 * Outcome of an attempt: accepted by the server; refused for this message, such as for an unknown mailbox; or failed for a reason that
 * may pass, which `isUnreachable` says of all messages.
 */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused' | 'failed'; readonly error: string; readonly isUnreachable: boolean };

/** Sends messages. */
export interface Sender {
  /** Never throws. Takes at most the time limit of an attempt. */
  readonly send: (message: Message) => Promise<Outcome>;
}

/** Limit of a whole attempt, below the lease of its message: a server that is never silent ends otherwise never. Unit: ms. */
export const ATTEMPT_MS = 60_000;
/** Limits of connecting, of the greeting, and of silence. Units: ms. */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const SILENCE_MS = 20_000;
/** Errors of nodemailer about one message: its envelope, and its content. */
const OF_MESSAGE = new Set(['EENVELOPE', 'EMESSAGE']);
const PERMANENT = 500;
/** Addresses, which servers like to repeat in their refusals. */
const ADDRESS = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g;
const ERROR_LENGTH_MAX = 300;

/** @returns a sender; its connection is closed at the end of the time. A server on another machine has to offer TLS, since messages and password would be readable otherwise. */
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
