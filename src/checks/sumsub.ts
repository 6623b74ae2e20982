/**
 * The applicants in the interface of Sumsub: signed requests (`X-App-Token`, `X-App-Access-Ts`, `X-App-Access-Sig`),
 * review answers GREEN and RED, and callbacks with `X-Payload-Digest`.
 */
import { createHmac } from 'node:crypto';
import type { Applicant } from './applicants.ts';
import { type Callback, FORGED_SECRET } from './callbacks.ts';
import { type Answer, type CheckRequest, Refused, type Route, route } from './http.ts';
import { oppositeOf } from './identity.ts';
import { type ChecksParts, objectOf, type Secrets, textOf } from './parts.ts';

/** Maximum age of a signed request. Unit: s. */
const SIGNED_MAX_SECONDS = 60;

/** @returns the routes of the Sumsub dialect. */
export function sumsubRoutes(parts: ChecksParts): readonly Route[] {
  const { applicants, faults } = parts;
  const admit = (request: CheckRequest) => admitSigned(parts, request);
  const read = { admit, fault: () => faults.next('read') };
  return [
    route('POST', '/resources/applicants', (request) => create(parts, request), {
      admit,
      fault: () => faults.next('start'),
    }),
    route(
      'GET',
      '/resources/applicants/-;externalUserId=:externalId/one',
      ({ named: [id = ''] }) => ({
        status: 200,
        body: identified(applicants.known(id)),
      }),
      read,
    ),
    route(
      'GET',
      '/resources/applicants/:id/status',
      ({ named: [id = ''] }) => ({
        status: 200,
        body: reviewOf(applicants.known(id)),
      }),
      read,
    ),
    route(
      'POST',
      '/resources/sdkIntegrations/levels/:level/websdkLink',
      ({ query }) => {
        const applicant = applicants.known(query.get('externalUserId') ?? '');
        return { status: 200, body: { url: `${parts.origin()}/verify/${applicants.newLink(applicant)}` } };
      },
      { admit, fault: () => faults.next('link') },
    ),
  ];
}

function create({ applicants }: ChecksParts, { query, body }: CheckRequest): Answer {
  const externalId = textOf(body.externalUserId);
  const info = objectOf(body.fixedInfo);
  const company = objectOf(info.companyInfo);
  const applicant = applicants.add({
    externalId,
    taxId: textOf(info.tin) || textOf(company.registrationNumber),
    name: textOf(company.companyName) || `${textOf(info.firstName)} ${textOf(info.lastName)}`.trim(),
    level: query.get('levelName') ?? '',
    kind: textOf(body.type),
    received: [...Object.keys(body), ...Object.keys(info)],
  });
  if (applicant) return { status: 201, body: identified(applicant) };
  const description = `Applicant with external user id '${externalId}' already exists`;
  return { status: 409, body: { description, code: 409 } };
}

function admitSigned({ secrets }: ChecksParts, { method, target, text, headers }: CheckRequest): void {
  const at = textOf(headers['x-app-access-ts']);
  const signature = createHmac('sha256', secrets.appSecret)
    .update(at + method + target + text)
    .digest('hex');
  const isFresh = Math.abs(Date.now() / 1_000 - Number(at)) <= SIGNED_MAX_SECONDS;
  const isRight = headers['x-app-token'] === secrets.appToken && headers['x-app-access-sig'] === signature;
  if (!isRight || !isFresh) throw new Refused(401, 'Request signature mismatch');
}

function identified(applicant: Applicant): object {
  const { id, externalId: externalUserId } = applicant;
  return { id, externalUserId, review: reviewOf(applicant) };
}

function reviewOf({ decision, reasons }: Pick<Applicant, 'decision' | 'reasons'>): object {
  switch (decision) {
    case 'approved':
      return { reviewStatus: 'completed', reviewResult: { reviewAnswer: 'GREEN' } };
    case 'denied':
    case 'retry':
      return {
        reviewStatus: 'completed',
        reviewResult: {
          reviewAnswer: 'RED',
          rejectLabels: reasons,
          reviewRejectType: decision === 'retry' ? 'RETRY' : 'FINAL',
        },
      };
    case 'review':
      return { reviewStatus: 'onHold' };
    default:
      return { reviewStatus: 'init' };
  }
}

/** @returns the callback about a decision. */
export function sumsubCallback(
  { callbackSecret }: Secrets,
  applicant: Applicant,
  isForged: boolean,
): Callback {
  const shown = isForged ? { ...applicant, decision: oppositeOf(applicant.decision) } : applicant;
  const body = JSON.stringify({
    ...{ applicantId: applicant.id, externalUserId: applicant.externalId },
    type: applicant.decision === 'review' ? 'applicantOnHold' : 'applicantReviewed',
    ...reviewOf(shown),
  });
  const secret = isForged ? FORGED_SECRET : callbackSecret;
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  return { body, headers: { 'x-payload-digest': digest, 'x-payload-digest-alg': 'HMAC_SHA256_HEX' } };
}
