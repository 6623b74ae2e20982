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
import { listTime } from '../parts/figures.ts';
import { actionForm } from '../parts/form.ts';
import { section } from '../parts/lists.ts';
import { curlOf, headersOf, type WebhookRequestParts } from '../parts/webhook-request.ts';
import { translateName } from '../words.ts';

type Delivery = NonNullable<WebhookDeliveryQuery['viewer']['account']['webhookDelivery']>;
type Attempt = Delivery['attempts'][number];

/** The screen. */
export const WEBHOOK_DELIVERY = screenOf<WebhookDeliveryQuery>({
  path: '/webhook-deliveries/:delivery',
  operation: operationNamed('WebhookDelivery'),
  variables: ({ named }) => ({ deliveryId: named.delivery }),
  view: ({ viewer: { account } }, context) => {
    const { translate } = context;
    const { webhookDelivery: found } = account;
    if (!found) throw notFound();
    const { deliveryId: id, state, event, endpoint } = found;
    const title = event?.name ?? `${translate('delivery')} ${id}`;
    const again = actionForm(context, {
      action: 'RedeliverWebhook',
      preset: { id },
      button: translate('redeliver'),
    });
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${translate('developers')}</a> <span class="soft">/</span> <a class="go" href="${pathTo(`/webhooks/${endpoint.endpointId}`)}">${endpoint.url}</a></nav>
<div class="top"><h1>${title}</h1>${badge(DELIVERY_TONES[state], translateName(translate, state))}<div class="row push">${again}</div></div>
${facts(context, found)}${request(context, found)}${attempts(context, found.attempts)}`;
    return { title, main };
  },
});

function facts({ translate, language }: ScreenContext, found: Delivery): Html | null {
  const { end2end } = found.transaction;
  const pairs = [
    pair(translate('time'), listTime(found.createdAt, language, 'second')),
    pair(
      translate('oneTransaction'),
      html`<a class="mono" href="${pathTo(`/transactions/${end2end}`)}">${end2end}</a>`,
      true,
    ),
    pair(translate('nextAttempt'), found.nextAttemptAt && listTime(found.nextAttemptAt, language, 'second')),
  ];
  return html`<section class="card in">${keyValues(pairs)}</section>`;
}

function request(context: ScreenContext, found: Delivery): Html {
  const { translate } = context;
  const parts = partsOf(found);
  if (!parts) return section('request', translate('request'), empty('clock', translate('eventGone')));
  const head = headersOf(parts).map(([name, value]) => `${name}: ${value}`);
  const button = html`<button type="button" data-copy="curl" hidden>${icon('copy')} ${translate('copy')}</button>`;
  return section(
    'request',
    translate('request'),
    html`<div class="in stack tight"><pre tabindex="0">POST ${parts.url}\n${head.join('\n')}\n\n${parts.body}</pre><h3>${translate('repeatByCurl')}</h3><p class="small soft">${translate('repeatByCurlWhat')}</p><pre tabindex="0" id="curl">${curlOf(parts)}</pre><p>${button}</p></div>`,
  );
}

/** The request of the last attempt; of the first if none was made. Undefined if the event is no longer stored. */
function partsOf({ event, webhookId, endpoint, attempts, round }: Delivery): WebhookRequestParts | undefined {
  if (!event || !webhookId) return undefined;
  return {
    ...{ url: endpoint.url, webhookId, eventName: event.name, sequence: event.sequence },
    ...{ attempt: attempts.at(-1)?.attempt ?? 1, isTest: round < 0, body: event.legacyBody },
  };
}

function attempts(context: ScreenContext, all: readonly Attempt[]): Html {
  const { translate } = context;
  const list =
    all.length > 0
      ? html`<p class="in small soft">${translate('answerCut')}</p><ol class="stack in">${all.toReversed().map((each) => attemptItem(context, each))}</ol>`
      : empty('clock', translate('noAttempts'));
  return section('attempts', translate('tries'), list);
}

function attemptItem(context: ScreenContext, each: Attempt): Html {
  const { translate, language } = context;
  const { attempt, at, status, durationMs, error, answer } = each;
  const isSuccess = status !== null && status >= 200 && status < 300;
  const result = badge(isSuccess ? 'good' : 'bad', String(status ?? error ?? translate('noAnswer')));
  const reported = [answer, error].filter(Boolean).join('\n');
  return html`<li><p>${translate('attemptNumber', { attempt: String(attempt) })} ${result} <small class="soft">${listTime(at, language, 'second')}, ${timeSpan(context, durationMs)}</small></p>${reported && html`<pre tabindex="0">${reported}</pre>`}</li>`;
}
