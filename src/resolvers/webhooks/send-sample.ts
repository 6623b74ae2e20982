/** Sends a made-up event of a chosen name to an endpoint, so that a receiver can be tested before anything happens. */
import { randomBytes } from 'node:crypto';
import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { newEnd2end } from '../../base/ids/end2end.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { instantOf } from '../../base/time/instant.ts';
import { notificationBody, notificationOf } from '../../events/notification-names.ts';
import { addSample } from '../../store/webhooks/samples.ts';
import type { EndpointRow } from '../../store/webhooks/webhooks.ts';
import type { Step, Template } from '../../templates/define.ts';
import { eventNamesOf } from '../../templates/event-names.ts';
import { NO_FACTS, type TransactionRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { endpointObject, endpointOf, templatesOf, wakeDispatchers } from './manage-webhooks.ts';

const SAMPLE_FACTS = {
  ...NO_FACTS,
  quote: '5.45',
  refQuote: '5.40',
  fees: '0',
  clientName: 'Ana Souza',
  clientTaxId: '52998224725',
  externalCode: 'test',
} as const;
const BRL = { currency: 'BRL', amount: '109' };
const CRYPTO = { currency: 'USDT_TRX', amount: '20' };

/**
 * Sends a made-up event: its body has the published form of its name, and belongs to no transaction. It has one attempt,
 * ahead of deliveries and of an open breaker, with the header `crossramp-test: true`; a failure does not count against the
 * endpoint.
 *
 * @returns its id.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER` for a name that the endpoint never gets,
 * `STEP_CONFLICT` when it
 *   is disabled.
 */
export async function sendSample(
  context: Context,
  endpointId: string,
  eventName: Named,
  checks: CreationChecks,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<bigint> {
  requirePermission(context, 'webhook.test');
  const endpoint = await endpointOf(context, endpointId);
  const { accountId } = context.caller;
  const payloadAt = samplePayload(context, endpoint, eventName, checks);
  const id = await audited(context, async (tx, writeDown, nowMs) => {
    const { state } = await endpointOf(context, endpointId, tx);
    if (state === 'disabled')
      throw new GatewayError('STEP_CONFLICT', 'the endpoint is disabled: resume or recover it first');
    const requestedAt = new Date(nowMs);
    const payload = payloadAt(requestedAt);
    const token = randomBytes(8).toString('hex');
    const made = await addSample(tx, accountId, {
      ...{ endpointId, token, payload, requestedAt },
      eventName: eventName.value,
    });
    writeDown('webhook.test', endpointObject(endpointId), { after: { eventName: eventName.value } });
    await bind(tx, String(made));
    return made;
  });
  wakeDispatchers(context);
  return id;
}

/** @returns the function that makes the body of the event, or of the notification. */
function samplePayload(
  context: Context,
  { template: only, kind: endpointKind }: EndpointRow,
  eventName: Named,
  checks: CreationChecks,
): (at: Date) => string {
  const { accountId } = context.caller;
  const kind = endpointKind === 'general' ? notificationOf(eventName.value) : undefined;
  if (kind !== undefined) {
    const sample = { kind, subject: 'test', name: null, facts: {} };
    return (at) => notificationBody({ id: accountId, name: 'Test' }, { ...sample, at: instantOf(at) });
  }
  const [template, step] = namedStep(templatesOf(context, only), eventName, checks);
  return (at) => context.render(sampleRow(accountId, template, step, at));
}

function namedStep(
  templates: readonly Template[],
  { name: parameter, value }: Named,
  checks: CreationChecks,
): readonly [Template, Step] {
  for (const template of templates) {
    const at = eventNamesOf(template).indexOf(value);
    // The events beside the steps follow them, and happen at any step.
    if (at >= 0) return [template, known(template.steps[at] ?? template.steps[0], 'a step')];
  }
  const nearest = nearestName(value, templates.flatMap(eventNamesOf));
  const hint = nearest ? `; did you mean ${nearest}?` : '; docs/catalogue.md lists them';
  checks.add({ parameter, message: `must be the name of an event that the endpoint can get${hint}` });
  checks.refuse();
  throw new Error('a noted violation is refused');
}

/** @returns a transaction at a step that none ever was at: an example of the template's published form. */
export function sampleRow(
  accountId: bigint,
  { name, family }: Template,
  { component, state }: Step,
  at: Date,
): TransactionRow {
  const { flow } = FAMILY_TRAITS[family];
  const [source, target] = flow === 'in' ? [BRL, CRYPTO] : flow === 'out' ? [CRYPTO, BRL] : [CRYPTO, CRYPTO];
  const now = instantOf(at);
  return {
    ...SAMPLE_FACTS,
    ...{ accountId, id: 0n, end2end: newEnd2end(at), template: name, component, state },
    ...{ sourceCurrency: source.currency, sourceAmount: source.amount },
    ...{ targetCurrency: target.currency, targetAmount: target.amount },
    ...{ createdAt: now, updatedAt: now, errorEn: '', errorPt: '', asPublished: null },
  };
}
