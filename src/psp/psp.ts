/** The PSP: its servers, and its timed work. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer as createPlainServer, type Server as PlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { apiListener } from './api.ts';
import { type Certificates, certificatesIn } from './ca.ts';
import { Callbacks } from './callbacks.ts';
import { PspClock } from './clock.ts';
import { controlListener } from './control.ts';
import { Faults } from './faults.ts';
import type { Client } from './oauth.ts';
import type { Holder, PspParts } from './parts.ts';
import { settlePayouts } from './payouts.ts';
import { PSP_PROFILES, type PspProfileName } from './profiles.ts';
import { settleRefunds } from './received.ts';
import { PspStore } from './store.ts';

/** Options of a PSP. Port 0 means any free port. */
export interface PspOptions {
  /** Folder for certificates, the client's secret and the state. */
  readonly home: string;
  readonly port: number;
  readonly controlPort: number;
  /** Host of the locations in codes; default `psp.localhost`. */
  readonly locationHost?: string;
  /** See `PspParts`. */
  readonly playsAmounts?: boolean;
  /** Time until a payout, a refund or a return settles. Unit: ms; default: a second. */
  readonly settleMs?: number;
  /** Bank whose interface the PSP has; default `standard`. */
  readonly profile?: PspProfileName;
}

/** A running PSP. */
export interface RunningPsp {
  /** URL of the API, `https://127.0.0.1:<port>`, without `/v2`. */
  readonly url: string;
  readonly profile: PspProfileName;
  readonly controlUrl: string;
  readonly certificates: Certificates;
  readonly client: Client;
  readonly holder: Holder;
  readonly close: () => Promise<void>;
}

/** Host of all servers of the PSP: this machine only. */
const HOST = '127.0.0.1';
/** ISPB that no bank has, so ids of the sandbox never equal those of a real payment. */
const ISPB = '99999999';
const CNPJ = '11222333000181';
const SECRET_BYTES = 24;
/** Maximum interval of scans for due work. Unit: ms. */
const POLL_MS = 200;

/** Starts a PSP. @throws the system's error, such as EADDRINUSE. */
export async function startPsp(options: PspOptions): Promise<RunningPsp> {
  const certificates = certificatesIn(options.home);
  const store = new PspStore(join(options.home, 'psp.sqlite'));
  const clock = new PspClock(store);
  const faults = new Faults(store);
  const callbacks = new Callbacks(store, clock, faults, certificates);
  const holder = holderOf(store);
  const client = {
    id: store.setting('client_id', () => `psp_${randomBytes(6).toString('hex')}`),
    secret: store.setting('client_secret', () => randomBytes(SECRET_BYTES).toString('base64url')),
  };
  const { locationHost = 'psp.localhost', playsAmounts = false, settleMs = 1_000 } = options;
  const { profile = 'standard' } = options;
  const wake = () => poll();
  const parts: PspParts = {
    store,
    clock,
    faults,
    callbacks,
    holder,
    profile: PSP_PROFILES[profile],
    locationHost,
    playsAmounts,
    settleMs,
    wake,
  };
  const key = store.setting('token_key', () => randomBytes(SECRET_BYTES).toString('hex'));
  const { ca, psp } = certificates;
  const tls = { ca: ca.certificate, cert: psp.certificate, key: psp.key, requestCert: true };
  const api = createServer({ ...tls, rejectUnauthorized: true }, apiListener(parts, client, key));
  const control = createPlainServer(controlListener(parts));
  const port = await listenOn(api, options.port);
  const controlPort = await listenOn(control, options.controlPort);
  let timer: NodeJS.Timeout | undefined;
  const poll = () => {
    clearTimeout(timer);
    settleRefunds(parts);
    settlePayouts(parts);
    callbacks.sendDue();
    timer = setTimeout(poll, pauseOf(parts));
  };
  poll();
  return {
    url: `https://${HOST}:${port}`,
    profile,
    controlUrl: `http://${HOST}:${controlPort}`,
    certificates,
    client,
    holder,
    close: async () => {
      clearTimeout(timer);
      await Promise.all([ended(api), ended(control)]);
      await callbacks.close();
      store.close();
    },
  };
}

function holderOf(store: PspStore): Holder {
  const name = 'Crossramp Sandbox';
  return { keys: [store.setting('pix_key', randomUUID)], cnpj: CNPJ, name, city: 'SAO PAULO', ispb: ISPB };
}

/** Time until the next due work, within bounds. Unit: ms. */
function pauseOf({ store, clock, callbacks }: PspParts): number {
  const next = store.one<{ dueMs: number | null }>(
    `select min(due_ms) as "dueMs" from (select min(due_ms) as due_ms from refund where due_ms is not null
       union all select min(due_ms) from payout where due_ms is not null
       union all select min(due_ms) from payout_return where due_ms is not null)`,
  )?.dueMs;
  const due = [next, callbacks.nextDueMs()].filter((each) => typeof each === 'number');
  return Math.min(POLL_MS, Math.max(1, ...(due.length > 0 ? [clock.until(Math.min(...due))] : [POLL_MS])));
}

async function listenOn(server: Server | PlainServer, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function ended(server: Server | PlainServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
