/** Settings for a gateway that uses the fake provider: the members `identity` and `screening` of RAILS_FILE, and their secrets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningChecks } from './checks.ts';
import type { Dialect } from './dialects.ts';
import type { Secrets } from './parts.ts';

/**
 * Writes the secrets, and `identity.json` with the settings.
 * @param home - folder; created if missing.
 * @returns the settings, which name the files of secrets by absolute paths.
 */
export function writeIdentitySettings(checks: RunningChecks, home: string, dialect: Dialect): object {
  const storeSecret = storeIn(home);
  const settings =
    dialect === 'sumsub' ? sumsubSettings(checks, storeSecret) : httpSettings(checks, storeSecret);
  return written(home, 'identity.json', settings);
}

/**
 * Writes the secrets, and `screening.json` with the settings of one screener.
 * @param home - folder; created if missing.
 * @returns the settings, which name the files of secrets by absolute paths.
 */
export function writeScreeningSettings({ url, secrets }: RunningChecks, home: string): object {
  const storeSecret = storeIn(home);
  return written(home, 'screening.json', {
    ...{ kind: 'http', name: 'checks', url: `${url}/v1/screenings` },
    headers: { 'x-api-keyFile': storeSecret('api-key', secrets.apiKey) },
    ...{ decision: '$.status', reasons: '$.reasons' },
    decisions: { clear: 'cleared', review: 'held', block: 'frozen', pending: 'pending' },
    callback: { ...callbackOf(secrets, storeSecret), reference: '$.reference' },
  });
}

function storeIn(home: string): StoreSecret {
  mkdirSync(home, { recursive: true });
  return (name, secret) => {
    const path = join(home, name);
    writeFileSync(path, secret, { mode: 0o600 });
    return path;
  };
}

function written(home: string, name: string, settings: object): object {
  writeFileSync(join(home, name), `${JSON.stringify(settings, null, 2)}\n`);
  return settings;
}

function callbackOf({ callbackSecret }: Secrets, storeSecret: StoreSecret) {
  return {
    secretFile: storeSecret('callback-secret', callbackSecret),
    ...{ header: 'x-signature', encoding: 'hex', signed: 'timestamp.body' },
    ...{ timestampHeader: 'x-timestamp', toleranceSeconds: 300 },
  };
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
    callback: { ...callbackOf(secrets, storeSecret), case: '$.externalId' },
  };
}
