/**
 * Identity checks over plain JSON: `POST /v1/checks`, `GET /v1/checks/{externalId}`, and the page of a link. Callbacks
 * are signed with HMAC-SHA256 over `timestamp.body`.
 */
import { type Applicant, DECISIONS, type Decision } from './applicants.ts';
import { type Callback, signedCallback } from './callbacks.ts';
import { type Answer, type CheckRequest, Refused, type Route, route } from './http.ts';
import { admitKey, type ChecksParts, type Secrets, textOf } from './parts.ts';

/** @returns the routes of identity checks. */
export function identityRoutes(parts: ChecksParts): readonly Route[] {
  const { applicants, faults } = parts;
  const admit = (request: CheckRequest) => admitKey(parts, request);
  return [
    route('POST', '/v1/checks', (request) => start(parts, request), {
      admit,
      fault: () => faults.next('start'),
    }),
    route(
      'GET',
      '/v1/checks/:externalId',
      ({ named: [id = ''] }) => ({
        status: 200,
        body: shownOf(applicants.known(id)),
      }),
      { admit, fault: () => faults.next('read') },
    ),
    route(
      'POST',
      '/v1/checks/:externalId/link',
      ({ named: [id = ''] }) => ({
        status: 200,
        body: { link: linkOf(parts, applicants.known(id)) },
      }),
      { admit, fault: () => faults.next('link') },
    ),
    route('GET', '/verify/:token', ({ named: [token = ''] }) => page(applicants.ofLink(token))),
    route('POST', '/verify/:token', ({ named: [token = ''], body }) => {
      const applicant = applicants.ofLink(token);
      applicant.links.clear();
      applicants.decide(applicant, decisionOf(body.decision));
      return {
        status: 200,
        html: '<!doctype html><title>Checked</title><p>Thank you. You may close this page.</p>',
      };
    }),
  ];
}

function start(parts: ChecksParts, { body }: CheckRequest): Answer {
  const externalId = textOf(body.externalId);
  if (externalId === '') throw new Refused(400, 'externalId: expected a text');
  const facts = {
    externalId,
    taxId: textOf(body.taxId),
    name: textOf(body.name),
    level: textOf(body.level),
    kind: textOf(body.kind),
    received: Object.keys(body),
  };
  const applicant = parts.applicants.add(facts);
  if (!applicant) return { status: 409, body: { description: 'a check of this externalId exists' } };
  return { status: 201, body: { ...shownOf(applicant), link: linkOf(parts, applicant) } };
}

function linkOf({ applicants, origin }: ChecksParts, applicant: Applicant): string {
  return `${origin()}/verify/${applicants.newLink(applicant)}`;
}

function shownOf({ id, externalId, decision, reasons, score }: Applicant): object {
  return { id, externalId, status: decision, reasons, score };
}

/** @returns one of DECISIONS. @throws {Refused} 400. */
export function decisionOf(value: unknown): Decision {
  const found = DECISIONS.find((each) => each === value);
  if (!found) throw new Refused(400, `decision: expected ${DECISIONS.join(', ')}`);
  return found;
}

/** @returns the callback about a decision. */
export function identityCallback(
  { callbackSecret }: Secrets,
  applicant: Applicant,
  isForged: boolean,
): Callback {
  const status = isForged ? oppositeOf(applicant.decision) : applicant.decision;
  return signedCallback(callbackSecret, { event: 'check.decided', ...shownOf(applicant), status }, isForged);
}

/** @returns the decision that a forged callback reports. */
export function oppositeOf(decision: Decision): Decision {
  return decision === 'approved' ? 'denied' : 'approved';
}

function page({ name }: Applicant): Answer {
  const shown = name.replace(/[^\p{L}\p{N} .'-]/gu, '');
  const buttons = DECISIONS.filter((each) => each !== 'pending').map(
    (each) => `<button name="decision" value="${each}">${each}</button>`,
  );
  const html = `<!doctype html><meta charset="utf-8"><title>Identity check</title><h1>Identity check</h1>
<p>A real provider asks ${shown || 'the customer'} for a document and a selfie here. Choose its decision:</p>
<form method="post">${buttons.join(' ')}</form>`;
  return { status: 200, html };
}
