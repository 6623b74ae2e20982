/** The settings with which a gateway talks to the fake provider: the member `identity` of RAILS_FILE, and its secrets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningChecks } from './checks.ts';
import type { Dialect } from './dialects.ts';

/**
 * Writes the secrets, and `identity.json` with the settings.
 *
 * @param home - folder; it is made where it is missing.
 * @returns the settings, which name the files of secrets by their whole paths.
 */
export function writeIdentitySettings(checks: RunningChecks, home: string, dialect: Dialect): object {
  mkdirSync(home, { recursive: true });
  const storeSecret = (name: string, secret: string) => {
    const path = join(home, name);
    writeFileSync(path, secret, { mode: 0o600 });
    return path;
  };
  const settings =
    dialect === 'sumsub' ? sumsubSettings(checks, storeSecret) : httpSettings(checks, storeSecret);
  writeFileSync(join(home, 'identity.json'), `${JSON.stringify(settings, null, 2)}\n`);
  return settings;
}

/** Stores a secret. @returns its path. */
type StoreSecret = (name: string, secret: string) => string;

function sumsubSettings({ url, secrets }: RunningChecks, storeSecret: StoreSecret): object {
  return {
    kind: 'sumsub',
    url,
    tokenFile: storeSecret('app-token', secrets.appToken),
    appSecretFile: storeSecret('app-secret', secrets.appSecret),
    levels: { VERIFIED: 'id-and-liveness' },
    callback: { secretFile: storeSecret('callback-secret', secrets.callbackSecret) },
  };
}

function httpSettings({ url, secrets }: RunningChecks, storeSecret: StoreSecret): object {
  return {
    kind: 'http',
    url: `${url}/v1/checks`,
    headers: [{ name: 'x-api-key', valueFile: storeSecret('api-key', secrets.apiKey) }],
    body: { externalId: 'case', taxId: 'taxId', name: 'name', level: 'level', kind: 'kind' },
    paths: {
      reference: '$.id',
      link: '$.link',
      decision: '$.status',
      reasons: '$.reasons',
      score: '$.score',
    },
    words: {
      pending: ['pending'],
      approved: ['approved'],
      denied: ['denied'],
      retry: ['retry'],
      review: ['review'],
      expired: ['expired'],
    },
    statusUrl: `${url}/v1/checks/{case}`,
    linkUrl: `${url}/v1/checks/{case}/link`,
    callback: {
      secretFile: storeSecret('callback-secret', secrets.callbackSecret),
      header: 'x-signature',
      encoding: 'hex',
      signed: 'timestamp.body',
      timestampHeader: 'x-timestamp',
      toleranceSeconds: 300,
      case: '$.externalId',
    },
  };
}
