/**
 * A gateway whose live PIX rail talks to the PSP over the wire: mTLS both ways, real callbacks on a port of its own. Every request
 * of the rail is checked against the published OpenAPI.
 */
import { pino } from 'pino';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Caller, createCaller } from '../../../src/rails/api-pix/http.ts';
import { type ApiPixPart, type ApiPixSettings, createApiPix } from '../../../src/rails/api-pix/index.ts';
import type { RailTools } from '../../../src/resolvers/services/rail-part.ts';
import type { PixRail, Rails } from '../../../src/resolvers/services/rails.ts';
import { inboundOf, type Merchant } from '../../resolvers/inbound/support.ts';
import { apiPixSchema } from '../../support/api-pix-schema.ts';
import { type TestApp, useApp } from '../../support/app.ts';
import { freePort } from '../../support/free-port.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { type TestPsp, usePsp } from '../../support/psp.ts';

/** What is changed in the settings of a test. */
export type SettingChanges = Partial<ApiPixSettings>;

/** A gateway with its provider. */
export interface Stand {
  readonly app: TestApp;
  readonly psp: TestPsp;
  readonly settings: ApiPixSettings;
  readonly tools: RailTools;
  readonly part: ApiPixPart;
  /** Method and path of each call of the rail, in order. */
  readonly calls: string[];
  /** What the rail has logged, by message; and what was wrong in each, where it was told. */
  readonly logged: string[];
  readonly reasons: string[];
  /** Makes calls of the rail end otherwise: given the call, and what makes it. */
  meddle: ((call: Parameters<Caller>[0], go: Caller) => ReturnType<Caller>) | undefined;
  readonly merchant: Merchant;
  readonly inbound: ReturnType<typeof inboundOf>;
  /** Waits until something is so; fails when it never is. */
  readonly until: (isSo: () => Promise<boolean> | boolean) => Promise<void>;
}

/**
 * Starts both before the tests of the file. Where the rail does not work, its callback is registered and nobody takes it any more:
 * everything has to be found by asking.
 */
export function useStand(
  changes: SettingChanges | ((psp: TestPsp) => SettingChanges),
  { works, confirm = true }: { readonly works: boolean; readonly confirm?: boolean },
): Stand {
  const psp = usePsp();
  const stand = { psp, calls: [], logged: [], reasons: [] } as unknown as {
    -readonly [Name in keyof Stand]: Stand[Name];
  };
  const rails: Rails = { ...LIVE_RAILS, pix: laterPort(() => stand.part.port) };
  stand.app = useApp({ liveRails: rails });
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const port = await freePort();
    const given = typeof changes === 'function' ? changes(psp) : changes;
    const settings = settingsFor(psp, port);
    const callback = settings.callback && { ...settings.callback, confirm };
    stand.settings = { ...settings, callback, ...given };
    stand.tools = toolsOf(stand);
    stand.part = createApiPix(stand.settings, stand.tools, await watched(stand));
    stand.inbound = inboundOf(stand.app);
    stand.merchant = await stand.app.addAccount({ mode: 'live' });
    end = stand.part.start?.().stop;
    await stand.until(async () => (await stand.part.checks()).every(({ ok }) => ok));
    if (!works) await end?.();
  });
  afterAll(() => end?.());
  stand.until = async (isSo) => {
    for (let turn = 0; turn < 1_200; turn++) {
      if (await isSo()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(await isSo(), 'it never was so').toBe(true);
  };
  return stand;
}

/** Settings that fit the PSP, with callbacks on a port of this machine. */
export function settingsFor({ url, certificates, client, holder }: TestPsp, port: number): ApiPixSettings {
  const { ca, gateway } = certificates;
  const pixKey = holder.keys[0] as string;
  return {
    url: `${url}/v2`,
    tokenUrl: `${url}/oauth/token`,
    clientId: client.id,
    clientSecret: client.secret,
    profile: null,
    tokenBy: 'basic',
    tokenFormat: 'form',
    tokenQuery: {},
    headers: {},
    query: {},
    paths: { cob: 'cob', cobPatch: 'cob', pix: 'pix', webhook: 'webhook' },
    times: 'ms',
    errors: 'standard',
    scopes: [
      'cob.write',
      'cob.read',
      'pix.write',
      'pix.read',
      'webhook.write',
      'webhook.read',
      'pix.send',
      'gn.pix.send.read',
      'gn.balance.read',
      'gn.infractions.read',
      'gn.infractions.write',
    ],
    ...gateway,
    ca: ca.certificate,
    pixKey,
    ispb: holder.ispb,
    merchantCity: 'SAO PAULO',
    callback: {
      url: `https://127.0.0.1:${port}/pix-hook`,
      listen: { host: '127.0.0.1', port, ...gateway },
      clientCa: ca.certificate,
      clientNames: ['Crossramp PSP'],
      proxyHeader: null,
      proxies: [],
      secret: null,
      suffix: 'added',
      secretIn: 'path',
      confirm: true,
    },
    payouts: { kind: 'efi', url, payingKey: pixKey, lookUpUrl: `${url}/v2/dict` },
    infractionsUrl: `${url}/v2/gn/infracoes`,
    efiInfractionsUrl: null,
    med: null,
    balanceUrl: null,
    unknownPayer: 'accept',
    timeoutSeconds: 5,
    pollSeconds: 1,
    sendAgainSeconds: 60,
  };
}

function toolsOf(stand: Stand): RailTools {
  const { services } = stand.app;
  const live = services.forMode('live');
  const write = (line: string) => {
    const { msg, err, reason } = JSON.parse(line);
    stand.logged.push(msg);
    stand.reasons.push(reason ?? err?.message ?? '');
  };
  const log = pino({ level: 'info' }, { write });
  return { mode: 'live', database: stand.app.database, clock: live.clock, receive: live.receive, log };
}

async function watched(stand: Stand): Promise<Caller> {
  const schema = await apiPixSchema();
  const go = createCaller(stand.settings);
  return async (call) => {
    const { pathname, search } = new URL(call.url);
    stand.calls.push(`${call.method} ${pathname}`);
    const isJson = call.body !== undefined && call.headers?.['content-type'] === 'application/json';
    if (isJson)
      expect(schema.ofRequest(call.method, pathname + search, JSON.parse(call.body as string))).toEqual([]);
    return stand.meddle ? stand.meddle(call, go) : go(call);
  };
}

/** The port is there only once its provider runs. */
function laterPort(port: () => PixRail): PixRail {
  return new Proxy({} as PixRail, { get: (_target, name) => Reflect.get(port(), name) });
}
