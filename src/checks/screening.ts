/**
 * Screening over plain JSON, `POST /v1/screenings`, and in the interface of Chainalysis, `GET /api/v1/address/{address}`.
 * Callbacks report decisions that came later than the answer.
 */
import { type Callback, signedCallback } from './callbacks.ts';
import { type Answer, type CheckRequest, Refused, type Route, route } from './http.ts';
import { admitKey, type ChecksParts, type Secrets, textOf } from './parts.ts';
import { SCREENING_DECISIONS, type Screened, type ScreeningDecision } from './subjects.ts';

/** @returns the routes of screening. */
export function screeningRoutes(parts: ChecksParts): readonly Route[] {
  const { subjects, faults } = parts;
  const more = {
    admit: (request: CheckRequest) => admitKey(parts, request),
    fault: () => faults.next('screen'),
  };
  return [
    route('POST', '/v1/screenings', (request) => screen(parts, request), more),
    route(
      'GET',
      '/api/v1/address/:address',
      ({ named: [address = ''] }) => {
        const facts = { reference: address, role: 'address', name: '', taxId: '', received: [] };
        const { decision } = subjects.screen({ ...facts, address });
        const identification = { category: 'sanctions', name: 'SANCTIONS: planted', url: null };
        return { status: 200, body: { identifications: decision === 'block' ? [identification] : [] } };
      },
      more,
    ),
  ];
}

function screen({ subjects }: ChecksParts, { body }: CheckRequest): Answer {
  const reference = textOf(body.reference);
  if (reference === '') throw new Refused(400, 'reference: expected a text');
  const screened = subjects.screen({
    ...{ reference, role: textOf(body.role), name: textOf(body.name), taxId: textOf(body.taxId) },
    ...{ address: textOf(body.address), received: Object.keys(body) },
  });
  return { status: 200, body: shownOf(reference, screened) };
}

function shownOf(reference: string, { decision, reasons }: Screened): object {
  return { reference, status: decision, reasons };
}

/** @returns one of SCREENING_DECISIONS. @throws {Refused} 400. */
export function screeningDecisionOf(value: unknown): ScreeningDecision {
  const found = SCREENING_DECISIONS.find((each) => each === value);
  if (!found) throw new Refused(400, `decision: expected ${SCREENING_DECISIONS.join(', ')}`);
  return found;
}

/** @returns the callback about a decision. */
export function screeningCallback(
  secrets: Secrets,
  reference: string,
  { decision, reasons }: Screened,
  isForged: boolean,
): Callback {
  const opposite = decision === 'clear' ? 'block' : 'clear';
  const shown = shownOf(reference, { decision: isForged ? opposite : decision, reasons });
  return signedCallback(secrets.callbackSecret, { event: 'screening.decided', ...shown }, isForged);
}
