/** Sumsub: signed requests, review answers, callbacks with a digest (docs.sumsub.com). */
import { createHmac } from 'node:crypto';
import { type Algorithm, signatureProblem } from '../../base/process/callback-signature.ts';
import { Settings } from '../../base/process/settings.ts';
import { type ExactJson, isExactObject } from '../../base/text/exact-json.ts';
import type { CaseDecision, CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';
import { readTimes } from './common-settings.ts';
import { parsed } from './http-profile.ts';
import type { IdentityProfile, ProviderCall, Reading } from './profile.ts';

const LEVELS: readonly CustomerLevel[] = ['BASIC', 'VERIFIED'];
/** Validity of a link. Unit: s. */
const LINK_SECONDS = 1_800;
const DIGESTS: Readonly<Record<string, Algorithm>> = {
  HMAC_SHA1_HEX: 'sha1',
  HMAC_SHA256_HEX: 'sha256',
  HMAC_SHA512_HEX: 'sha512',
};

/** Settings of the kind `sumsub`. */
export type SumsubSettings = ReturnType<typeof readSumsubSettings>;

/** Reads the settings. @throws {SettingsError} naming the member and the accepted form. */
export function readSumsubSettings(json: unknown, path: string) {
  const settings = new Settings(json, path);
  settings.choice('kind', ['sumsub'] as const);
  return settings.end({
    ...readTimes(settings),
    url: settings.has('url') ? settings.url('url') : 'https://api.sumsub.com',
    /** App token, and the secret that signs requests, from files. */
    token: settings.contents('tokenFile'),
    secret: settings.contents('appSecretFile'),
    /** The provider's level names by the gateway's levels. */
    levelNames: readLevelNames(settings),
    callbackSecret: settings.has('callback') ? readCallback(settings.part('callback')) : undefined,
  });
}

function readLevelNames(settings: Settings): ReadonlyMap<CustomerLevel, string> {
  const part = settings.part('levels');
  const names = LEVELS.flatMap((level) => (part.has(level) ? [[level, part.text(level)] as const] : []));
  if (names.length === 0) settings.refuse('levels', 'a name of the provider for BASIC, VERIFIED or both');
  return part.end(new Map(names));
}

function readCallback(settings: Settings): string {
  return settings.end(settings.contents('secretFile'));
}

/** @returns the provider of the settings. */
export function sumsubProfile(settings: SumsubSettings): IdentityProfile {
  const { url, token, secret, levelNames, callbackSecret } = settings;
  const levelOf = ({ level }: CustomerCase) => encodeURIComponent(levelNames.get(level) ?? '');
  return {
    kind: 'sumsub',
    levels: [...levelNames.keys()],
    start: (row) => ({
      method: 'POST',
      url: `${url}/resources/applicants?levelName=${levelOf(row)}`,
      body: JSON.stringify(applicantOf(row)),
    }),
    find: ({ externalId }) => ({
      method: 'GET',
      url: `${url}/resources/applicants/-;externalUserId=${encodeURIComponent(externalId)}/one`,
    }),
    link: (row) => ({
      method: 'POST',
      url: `${url}/resources/sdkIntegrations/levels/${levelOf(row)}/websdkLink?ttlInSecs=${LINK_SECONDS}&externalUserId=${encodeURIComponent(row.externalId)}`,
    }),
    read: (text) => readingOf(parsed(text)),
    readLink: (text) => textOf(memberOf(parsed(text), 'url')),
    headersFor: (call, atMs) => signed(call, atMs, token, secret),
    ...(callbackSecret !== undefined && {
      readCallback: (headers, body, nowMs) => {
        const algorithm = DIGESTS[String(headers['x-payload-digest-alg'] ?? '')];
        if (!algorithm) return 'the header x-payload-digest-alg is missing, or names another algorithm';
        const form = {
          secret: callbackSecret,
          header: 'x-payload-digest',
          algorithm,
          encoding: 'hex',
        } as const;
        const problem = signatureProblem({ ...form, toleranceMs: 0 }, headers, body, nowMs);
        if (problem !== undefined) return problem;
        const externalId = textOf(memberOf(parsed(body.toString('utf8')), 'externalUserId'));
        return externalId === undefined ? 'the callback names no externalUserId' : { externalId };
      },
    }),
  };
}

function applicantOf({ externalId, kind, name, taxId }: CustomerCase): object {
  const country = 'BRA';
  if (kind === 'COMPANY') {
    const companyInfo = { companyName: name ?? '', registrationNumber: taxId, country };
    return { externalUserId: externalId, type: 'company', fixedInfo: { companyInfo } };
  }
  const [firstName = '', ...rest] = (name ?? '').split(' ');
  const fixedInfo = { firstName, lastName: rest.join(' '), tin: taxId, country };
  return { externalUserId: externalId, type: 'individual', fixedInfo };
}

/** Signs a request: time, method, path with query, and body. */
function signed(
  { method, url, body = '' }: ProviderCall,
  atMs: number,
  token: string,
  secret: string,
): Readonly<Record<string, string>> {
  const at = String(Math.floor(atMs / 1_000));
  const { pathname, search } = new URL(url);
  const signature = createHmac('sha256', secret)
    .update(at + method + pathname + search + body)
    .digest('hex');
  return { 'x-app-token': token, 'x-app-access-ts': at, 'x-app-access-sig': signature };
}

/** Reads a review. An answer about an applicant contains the review; an answer about a status is the review itself. */
function readingOf(json: ExactJson): Reading {
  const review = memberOf(json, 'review') ?? json;
  const result = memberOf(review, 'reviewResult');
  const labels = memberOf(result, 'rejectLabels');
  return {
    decision: decisionOf(textOf(memberOf(review, 'reviewStatus')), result),
    reference: textOf(memberOf(json, 'id')) ?? null,
    reasons: Array.isArray(labels) ? labels.filter((each) => typeof each === 'string') : [],
    score: null,
  };
}

function decisionOf(status: string | undefined, result: ExactJson | undefined): CaseDecision {
  if (status === 'onHold') return 'review';
  if (status !== 'completed') return 'pending';
  if (textOf(memberOf(result, 'reviewAnswer')) === 'GREEN') return 'approved';
  return textOf(memberOf(result, 'reviewRejectType')) === 'RETRY' ? 'retry' : 'denied';
}

function memberOf(json: ExactJson | undefined, name: string): ExactJson | undefined {
  return json !== undefined && isExactObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;
}

function textOf(value: ExactJson | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
