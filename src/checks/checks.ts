/** The fake provider of checks: one server for the gateway, and one by which tests decide. All of it listens on this machine only. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Applicant, Applicants } from './applicants.ts';
import { Callbacks } from './callbacks.ts';
import { controlRoutes } from './control.ts';
import type { Dialect } from './dialects.ts';
import { Faults } from './faults.ts';
import { listenerOf } from './http.ts';
import { identityCallback, identityRoutes } from './identity.ts';
import type { ChecksParts, Secrets } from './parts.ts';
import { sumsubCallback, sumsubRoutes } from './sumsub.ts';

/** Start of a provider. Ports may be 0: any free one. */
export interface ChecksOptions {
  readonly port: number;
  readonly controlPort: number;
  /** URL of the gateway that callbacks of identity checks go to; null: none are sent. */
  readonly callbackUrl: string | null;
  /** Interface of its callbacks; default `http`. */
  readonly dialect?: Dialect;
  /** Made when not given. */
  readonly secrets?: Secrets;
}

/** A provider that runs. */
export interface RunningChecks {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly controlUrl: string;
  readonly secrets: Secrets;
  readonly close: () => Promise<void>;
}

const HOST = '127.0.0.1';
const SECRET_BYTES = 24;

/** Starts a provider. @throws the system's error, such as EADDRINUSE. */
export async function startChecks({
  port,
  controlPort,
  callbackUrl,
  dialect = 'http',
  secrets = newSecrets(),
}: ChecksOptions): Promise<RunningChecks> {
  const faults = new Faults();
  const callbacks = new Callbacks(faults);
  const write = dialect === 'sumsub' ? sumsubCallback : identityCallback;
  const onDecision = (applicant: Applicant) =>
    callbacks.send(callbackUrl, (isForged) => write(secrets, applicant, isForged));
  const applicants = new Applicants(onDecision);
  let origin = '';
  const parts: ChecksParts = { faults, callbacks, applicants, secrets, origin: () => origin };
  const api = createServer(listenerOf([...identityRoutes(parts), ...sumsubRoutes(parts)]));
  const control = createServer(listenerOf(controlRoutes(parts)));
  origin = `http://${HOST}:${await listenOn(api, port)}`;
  const controlUrl = `http://${HOST}:${await listenOn(control, controlPort)}`;
  return {
    url: origin,
    controlUrl,
    secrets,
    close: async () => {
      applicants.close();
      callbacks.close();
      await Promise.all([ended(api), ended(control)]);
    },
  };
}

/** @returns secrets that nobody had before. */
export function newSecrets(): Secrets {
  const secret = () => randomBytes(SECRET_BYTES).toString('base64url');
  return { apiKey: secret(), callbackSecret: secret(), appToken: secret(), appSecret: secret() };
}

async function listenOn(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function ended(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
