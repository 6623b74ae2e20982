/** A client of one gateway. */
import type { EventName, GatewayEvent } from './event.ts';
import { type EventOptions, eventsOf } from './events.ts';
import { type Graphql, graphqlOf } from './graphql.ts';
import type { Gateway, Key } from './http.ts';
import { type Rest, restOf } from './rest.ts';

/** Options of a client. */
export interface ClientOptions {
  /** Address of the gateway, such as `http://localhost:4000`. */
  readonly baseUrl: string;
  /** API key, `crx_test_…` or `crx_live_…`. In a browser, a function that gets a stream token from your server. */
  readonly key: Key;
  /** Default: the one of the platform. */
  readonly fetch?: typeof fetch;
  /** Attempts after the first; 0 for none. Default: 5. */
  readonly retries?: number;
  /** Longest time of one attempt. Default: 30,000 ms. */
  readonly timeoutMs?: number;
}

/** A client. */
export interface Client extends Graphql {
  readonly rest: Rest;
  /** Every event once, in the order of the log; continues by cursor after a lost connection. */
  events<const Name extends EventName = EventName>(
    options?: EventOptions<Name>,
  ): AsyncGenerator<GatewayEvent<Name>, void, undefined>;
}

/** @returns a client; it holds no connection and needs no end. */
export function createClient({
  baseUrl,
  retries = 5,
  timeoutMs = 30_000,
  ...options
}: ClientOptions): Client {
  const gateway: Gateway = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key: options.key,
    // Browsers and workers refuse a `fetch` that is called as a method of another object.
    fetch: options.fetch ?? ((...options) => fetch(...options)),
    retries,
    timeoutMs,
    version: '',
  };
  return {
    ...graphqlOf(gateway),
    rest: restOf(gateway),
    events: (options = {}) => eventsOf(gateway, options),
  };
}
