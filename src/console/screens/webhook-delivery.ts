/** One delivery of a webhook: the request, each attempt with its answer, and the command that repeats it. */
import { notFound } from '../../base/errors/errors.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { badge, empty, keyValues, pair } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WebhookDeliveryQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { timeSpan } from '../parts/changes.ts';
import { DELIVERY_TONES } from '../parts/deliveries.ts';
import { moment } from '../parts/figures.ts';
import { actForm } from '../parts/form.ts';
import { section } from '../parts/lists.ts';
import { curlOf, headersOf, type WebhookRequestParts } from '../parts/webhook-request.ts';
import { sayNamed } from '../words.ts';

type Delivery = NonNullable<WebhookDeliveryQuery['viewer']['account']['webhookDelivery']>;
type Attempt = Delivery['attempts'][number];

/** The screen. */
export const WEBHOOK_DELIVERY = screenOf<WebhookDeliveryQuery>({
  path: '/webhook-deliveries/:delivery',
  operation: operationNamed('WebhookDelivery'),
  variables: ({ named }) => ({ deliveryId: named.delivery }),
  view: ({ viewer: { account } }, context) => {
    const { say } = context;
    const { webhookDelivery: found } = account;
    if (!found) throw notFound();
    const { deliveryId: id, state, event, endpoint } = found;
    const title = event?.name ?? `${say('delivery')} ${id}`;
    const again = actForm(context, { act: 'RedeliverWebhook', given: { id }, button: say('redeliver') });
    const main = html`<nav class="small" aria-label="${say('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${say('developers')}</a> <span class="soft">/</span> <a class="go" href="${pathTo(`/webhooks/${endpoint.endpointId}`)}">${endpoint.url}</a></nav>
<div class="top"><h1>${title}</h1>${badge(DELIVERY_TONES[state], sayNamed(say, state))}<div class="row push">${again}</div></div>
${facts(context, found)}${request(context, found)}${attempts(context, found.attempts)}`;
    return { title, main };
  },
});

function facts({ say, language }: ScreenContext, found: Delivery): Html | null {
  const { end2end } = found.transaction;
  const pairs = [
    pair(say('time'), moment(found.createdAt, language, 'second')),
    pair(
      say('transactions'),
      html`<a class="mono" href="${pathTo(`/transactions/${end2end}`)}">${end2end}</a>`,
      true,
    ),
    pair(say('nextAttempt'), found.nextAttemptAt && moment(found.nextAttemptAt, language, 'second')),
  ];
  return html`<section class="card in">${keyValues(pairs)}</section>`;
}

function request(context: ScreenContext, found: Delivery): Html {
  const { say } = context;
  const parts = partsOf(found);
  if (!parts) return section('request', say('request'), empty('clock', say('eventGone')));
  const head = headersOf(parts).map(([name, value]) => `${name}: ${value}`);
  const button = html`<button type="button" data-copy="curl" hidden>${icon('copy')} ${say('copy')}</button>`;
  return section(
    'request',
    say('request'),
    html`<div class="in stack tight"><pre tabindex="0">POST ${parts.url}\n${head.join('\n')}\n\n${parts.body}</pre><h3>${say('repeatByCurl')}</h3><p class="small soft">${say('repeatByCurlWhat')}</p><pre tabindex="0" id="curl">${curlOf(parts)}</pre><p>${button}</p></div>`,
  );
}

/** The request of the last attempt; of the first where there was none. Undefined where the event is no longer kept. */
function partsOf({ event, webhookId, endpoint, attempts, round }: Delivery): WebhookRequestParts | undefined {
  if (!event || !webhookId) return undefined;
  return {
    ...{ url: endpoint.url, webhookId, eventName: event.name, sequence: event.sequence },
    ...{ attempt: attempts.at(-1)?.attempt ?? 1, isTest: round < 0, body: event.legacyBody },
  };
}

function attempts(context: ScreenContext, all: readonly Attempt[]): Html {
  const { say } = context;
  const list =
    all.length > 0
      ? html`<p class="in small soft">${say('answerCut')}</p><ol class="stack in">${all.toReversed().map((each) => attemptItem(context, each))}</ol>`
      : empty('clock', say('noAttempts'));
  return section('attempts', say('tries'), list);
}

function attemptItem(context: ScreenContext, each: Attempt): Html {
  const { say, language } = context;
  const { attempt, at, status, durationMs, error, answer } = each;
  const isGood = status !== null && status >= 200 && status < 300;
  const result = badge(isGood ? 'good' : 'bad', String(status ?? error ?? say('noAnswer')));
  const told = [answer, error].filter(Boolean).join('\n');
  return html`<li><p>${say('attemptNumber', { attempt: String(attempt) })} ${result} <small class="soft">${moment(at, language, 'second')}, ${timeSpan(context, durationMs)}</small></p>${told && html`<pre tabindex="0">${told}</pre>`}</li>`;
}
