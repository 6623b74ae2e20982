/** Health checks of the rail: access, certificates, callback URL, statement and open orders. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Check, RailTools } from '../../resolvers/services/rail-part.ts';
import { PIX_SENDING, readNetwork } from '../../store/rails/chain-network.ts';
import { readOpenPixOrders } from '../../store/rails/pix-orders.ts';
import { countOpenReports } from '../../store/rails/pix-reports.ts';
import { lastReading } from '../../store/rails/pix-statement.ts';
import { callbackUrl, hasCertificate, isProvider } from './callers.ts';
import { type Certificate, certificatesIn } from './certificates.ts';
import type { ApiPix } from './client.ts';
import { LATE, LATE_EVERY_MS, statementOf } from './poll.ts';
import { profileChecks } from './profile-check.ts';
import type { ApiPixSettings, CallbackSettings } from './settings.ts';
import { OPEN_MAX } from './stored-reports.ts';
import type { Tokens } from './token.ts';

/** Dependencies of the checks. */
export interface CheckParts {
  readonly tools: RailTools;
  readonly settings: ApiPixSettings;
  readonly api: ApiPix;
  readonly tokens: Tokens;
}

const DAY_MS = 86_400_000;
/** Warning period before a certificate expires. Banks take days to issue a new one. */
const ENDING_DAYS = 21;
/** Polling intervals after which the statement counts as late, and the age from which an open order does. */
const LATE_CYCLES = 5;
const LATE_ORDER_MS = 3_600_000;

/** @returns the checks, in the order in which an operator should solve them. */
export async function checkAll(parts: CheckParts): Promise<readonly Check[]> {
  const { settings, tokens } = parts;
  const { callback } = settings;
  return [
    ...profileChecks(settings),
    ...certificateChecks('certificate', settings),
    ...(callback?.listen ? certificateChecks('callback certificate', callback.listen) : []),
    ...(callback?.clientCa ? [authorityCheck(callback.clientCa)] : []),
    await checking('token', async () => {
      await tokens.get();
      const lacking = tokens.lacking();
      const but = lacking.length > 0 ? `, but not for ${lacking.join(', ')}` : '';
      return { ok: lacking.length === 0, detail: `the provider issues a token${but}` };
    }),
    await checking('callback', () => callbackCheck(parts)),
    ...(callback ? [callersCheck(callback)] : []),
    await checking('reports', () => reportsCheck(parts)),
    await checking('statement', () => statementCheck(parts)),
    await checking('orders', () => ordersCheck(parts)),
    await checking('sending', () => sendingCheck(parts)),
  ];
}

async function sendingCheck({ tools: { database, mode } }: CheckParts) {
  const state = await readNetwork(database, { mode, network: PIX_SENDING });
  return state?.pausedAt
    ? { ok: false, detail: `paused by ${state.pausedBy}: ${state.pauseReason}` }
    : { ok: true, detail: 'is not paused' };
}

function certificateChecks(name: string, { certificate, key }: Certificate): readonly Check[] {
  try {
    const read = new X509Certificate(certificate);
    const isPair = read.checkPrivateKey(createPrivateKey(key));
    return [
      { check: name, ...ending(read) },
      {
        check: `${name} key`,
        ok: isPair,
        detail: isPair ? 'the key belongs to the certificate' : 'the key belongs to another certificate',
      },
    ];
  } catch (error) {
    return [{ check: name, ok: false, detail: `cannot be read: ${wordsOf(error)}` }];
  }
}

function authorityCheck(pem: string): Check {
  const check = 'callers’ authority';
  try {
    const soonest = certificatesIn(pem).toSorted(
      (a, b) => a.validToDate.getTime() - b.validToDate.getTime(),
    )[0];
    return soonest
      ? { check, ...ending(soonest) }
      : { check, ok: false, detail: 'the file has no certificate' };
  } catch (error) {
    return { check, ok: false, detail: `cannot be read: ${wordsOf(error)}` };
  }
}

function ending({ validToDate }: X509Certificate): Omit<Check, 'check'> {
  const days = Math.floor((validToDate.getTime() - Date.now()) / DAY_MS);
  const day = validToDate.toISOString().slice(0, 10);
  return {
    ok: days >= ENDING_DAYS,
    detail: days < 0 ? `ended on ${day}` : `ends on ${day}, in ${days} days`,
  };
}

async function callbackCheck({ api, settings }: CheckParts): Promise<Omit<Check, 'check'>> {
  const url = callbackUrl(settings);
  if (url === null) return { ok: true, detail: 'none configured: payments are found on the statement' };
  const registered = await api.getWebhook();
  if (registered === url) return { ok: true, detail: 'registered at the provider' };
  const found = registered === undefined ? 'none is registered' : 'another address is registered';
  return { ok: false, detail: `${found} at the provider` };
}

async function statementCheck({ tools, settings }: CheckParts): Promise<Omit<Check, 'check'>> {
  const readAtMs = await lastReading(tools.database, statementOf(tools, settings));
  if (readAtMs === null) return { ok: false, detail: 'not read yet' };
  const seconds = Math.round((tools.database.nowMs() - readAtMs) / 1_000);
  const isRead = seconds <= LATE_CYCLES * settings.pollSeconds;
  const wholeAtMs = await lastReading(tools.database, statementOf(tools, settings, LATE));
  const wholeMs = wholeAtMs === null ? null : tools.database.nowMs() - wholeAtMs;
  // The late read waits at an unreadable part, which the log names.
  if (isRead && wholeMs !== null && wholeMs > 2 * LATE_EVERY_MS)
    return {
      ok: false,
      detail: `a part of it has been unreadable for ${Math.floor(wholeMs / 60_000)} minutes`,
    };
  return { ok: isRead, detail: `read ${seconds} s ago` };
}

function callersCheck(callback: CallbackSettings): Check {
  const { confirm, clientNames } = callback;
  const by = hasCertificate(callback)
    ? clientNames.length > 0
      ? `known by a certificate of ${clientNames.join(' or ')}`
      : 'known by any certificate of the authority'
    : 'known only by a secret path';
  const check = 'callers';
  if (confirm) return { check, ok: true, detail: `${by}; the provider confirms what they report` };
  if (isProvider(callback)) return { check, ok: true, detail: `${by}, and trusted: confirm is off` };
  return { check, ok: false, detail: `${by}, which proves no provider: set clientNames, or confirm to true` };
}

async function reportsCheck({ tools }: CheckParts): Promise<Omit<Check, 'check'>> {
  const open = await countOpenReports(tools.database, tools.mode, OPEN_MAX);
  const { waiting, denied, waitingSeconds } = open;
  const list = denied > 0 ? '; see crossramp rail-event list' : '';
  return {
    ok: waiting < OPEN_MAX && (waitingSeconds ?? 0) * 1_000 < LATE_ORDER_MS,
    detail: `${waiting} wait for confirmation, ${denied} were denied by the provider${list}`,
  };
}

async function ordersCheck({ tools }: CheckParts): Promise<Omit<Check, 'check'>> {
  const { count, sinceMs } = await readOpenPixOrders(tools.database, tools.mode);
  if (sinceMs === null) return { ok: true, detail: 'none is open' };
  const ageMs = tools.database.nowMs() - sinceMs;
  const minutes = Math.floor(ageMs / 60_000);
  return {
    ok: ageMs < LATE_ORDER_MS,
    detail: `${count} not decided, the oldest for ${minutes} minutes (crossramp order list)`,
  };
}

async function checking(check: string, inspect: () => Promise<Omit<Check, 'check'>>): Promise<Check> {
  try {
    return { check, ...(await inspect()) };
  } catch (error) {
    return { check, ok: false, detail: wordsOf(error) };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
