/** One webhook endpoint: its health, the events that it gets, tests of its receiver, and its deliveries. */
import { notFound } from '../../base/errors/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, note } from '../../ui/parts.ts';
import { nearText } from '../../ui/times.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WebhookEndpointQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { DELIVERY_STATES, deliveryList, ENDPOINT_TONES } from '../parts/deliveries.ts';
import { deliveryFigures } from '../parts/delivery-figures.ts';
import { eventChoice } from '../parts/event-choice.ts';
import { chosen, pageVariables, section } from '../parts/lists.ts';
import { webhookTests } from '../parts/webhook-tests.ts';

type Account = WebhookEndpointQuery['viewer']['account'];
type Endpoint = NonNullable<Account['webhookEndpoint']>;

/** The screen. */
export const WEBHOOK_ENDPOINT = screenOf<WebhookEndpointQuery>({
  path: '/webhooks/:endpoint',
  operation: operationNamed('WebhookEndpoint'),
  scope: 'admin',
  variables: (context) => {
    const state = chosen(context, 'state', DELIVERY_STATES);
    const find = context.query.get('find');
    return {
      endpointId: context.named.endpoint,
      ...(find && { find }),
      ...(state && { states: [state] }),
      ...pageVariables(context),
    };
  },
  view: ({ webhookEventNames: names, viewer: { account } }, context) => {
    const { translate } = context;
    const { webhookEndpoint: endpoint, webhookDeliveries: page } = account;
    if (!endpoint) throw notFound();
    const { endpointId, url, description, state } = endpoint;
    const secrets = pathTo('/webhook-secrets', { endpoint: endpointId });
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${translate('developers')}</a> <span class="soft">/ ${translate('endpoint')}</span></nav>
<div class="top"><h1 class="cut">${url}</h1>${badge(ENDPOINT_TONES[state], translate(state))}<p class="soft">${description}</p><p class="row push"><a class="btn" href="${secrets}">${translate('signingSecrets')}</a></p></div>
${trouble(context, endpoint)}${health(context, endpoint)}${eventChoice(context, endpoint, names ?? [])}${webhookTests(context, endpoint, names ?? [])}${deliveryList(context, page)}`;
    return { title: url, main };
  },
});

/** Reason why nothing is sent, or why sending may end soon. */
function trouble({ translate, language }: ScreenContext, endpoint: Endpoint): Html | null {
  const { state, disabledReason: reason, disabledAt, failingSince } = endpoint;
  const near = (at: string) => nearText(Date.parse(at), language, 'minute');
  if (state === 'DISABLED' && disabledAt)
    return note(
      'warning',
      translate('disabledSince', { time: near(disabledAt), reason: reason ?? '' }),
      true,
    );
  return failingSince === null
    ? null
    : note('warning', translate('failingSince', { time: near(failingSince) }), true);
}

function health(context: ScreenContext, { day, week }: Endpoint): Html {
  const { translate } = context;
  return html`<div class="two even">${section('day', translate('health24'), deliveryFigures(context, day, 24))}${section('week', translate('health7'), deliveryFigures(context, week, 168))}</div>`;
}
