/**
 * The fake provider of identity checks and screening: a server for the gateway, and one through which tests decide. Both listen only on this
 * machine.
 */
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
import { screeningCallback, screeningRoutes } from './screening.ts';
import { Subjects } from './subjects.ts';
import { sumsubCallback, sumsubRoutes } from './sumsub.ts';

/** Options of a provider. Port 0 means any free port. */
export interface ChecksOptions {
  readonly port: number;
  readonly controlPort: number;
  /** URL of the gateway that receives callbacks of identity checks; null sends none. */
  readonly callbackUrl: string | null;
  /** URL of the gateway that receives callbacks of screening; default null. */
  readonly screeningCallbackUrl?: string | null;
  /** Interface of the callbacks; default `http`. */
  readonly dialect?: Dialect;
  /** Default: new random secrets. */
  readonly secrets?: Secrets;
}

/** A running provider. */
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
  screeningCallbackUrl = null,
  dialect = 'http',
  secrets = newSecrets(),
}: ChecksOptions): Promise<RunningChecks> {
  const faults = new Faults();
  const callbacks = new Callbacks(faults);
  const write = dialect === 'sumsub' ? sumsubCallback : identityCallback;
  const onDecision = (applicant: Applicant) =>
    callbacks.send(callbackUrl, (isForged) => write(secrets, applicant, isForged));
  const applicants = new Applicants(onDecision);
  const subjects = new Subjects((reference, screened) =>
    callbacks.send(screeningCallbackUrl, (isForged) =>
      screeningCallback(secrets, reference, screened, isForged),
    ),
  );
  let origin = '';
  const parts: ChecksParts = { faults, callbacks, applicants, subjects, secrets, origin: () => origin };
  const api = createServer(
    listenerOf([...identityRoutes(parts), ...sumsubRoutes(parts), ...screeningRoutes(parts)]),
  );
  const control = createServer(listenerOf(controlRoutes(parts)));
  origin = `http://${HOST}:${await listenOn(api, port)}`;
  const controlUrl = `http://${HOST}:${await listenOn(control, controlPort)}`;
  return {
    url: origin,
    controlUrl,
    secrets,
    close: async () => {
      applicants.close();
      subjects.close();
      callbacks.close();
      await Promise.all([ended(api), ended(control)]);
    },
  };
}

/** @returns new random secrets. */
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
