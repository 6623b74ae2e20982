/** A rail of an installation, and the parts that make it: `compose/rails.ts` combines rails by this interface alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { SecretBox } from '../../base/access/secret-box.ts';
import type { Database } from '../../store/connection/database.ts';
import type { RestoredRail } from '../../store/rails/restores.ts';
import type { NewUnknownPayment } from '../../store/rails/unknown-payments.ts';
import type { Clock } from './clock.ts';
import type { Receive } from './rail-event.ts';

/** One rail of an installation: its port, and its background work. */
export interface RailPart<Port> {
  readonly port: Port;
  /** Starts polling, watching and sending, in processes that run jobs. */
  readonly start?: () => { readonly stop: () => Promise<void> };
  /**
   * Answers calls of the outside world below `/rails/<mode>/<rail>/`; `path` is the rest of the path, with its query. The
   * rail authenticates the caller itself, and reads the body by `readBody`, which bounds it.
   */
  readonly handle?: (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;
  /**
   * Lists payments that left after the restored time and that no order here made. Absent if the rail has no such list.
   *
   * @throws while some may be missing.
   */
  readonly unknownPayments?: (
    restored: Pick<RestoredRail, 'sinceMs' | 'noticedAtMs'>,
  ) => Promise<readonly NewUnknownPayment[]>;
  /** Checks for `doctor`, `railHealth` and the console. */
  readonly checks: () => Promise<readonly Check[]>;
  /** Certificates that a person has to renew. */
  readonly certificates?: () => readonly RailCertificate[];
}

/** A certificate of a rail. */
export interface RailCertificate {
  readonly name: string;
  readonly endsAtMs: number;
}

/** A check of a rail or of operation that has passed or failed. */
export interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Parts that make every rail. */
export interface RailTools {
  readonly mode: AccountMode;
  readonly database: Database;
  readonly clock: Clock;
  readonly receive: Receive;
  /** Seals stored secrets and signs door tokens; without it no secret is stored. */
  readonly secrets?: SecretBox;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A rail by its name: `pix`, `rates`, `identity`, `screening`, `liquidity`, or a network such as `ETH`. */
export interface NamedRail {
  readonly name: string;
  readonly part: RailPart<unknown>;
}
