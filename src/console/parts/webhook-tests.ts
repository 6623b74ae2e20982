/** Sample events for an endpoint: a form that sends one of any name, and the samples already sent. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, more } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { WebhookEndpointQuery } from '../generated/graphql.ts';
import { timeSpan } from './changes.ts';
import { listTime } from './figures.ts';
import { actionForm, field } from './form.ts';
import { section } from './lists.ts';

type Endpoint = NonNullable<WebhookEndpointQuery['viewer']['account']['webhookEndpoint']>;
type Sample = Endpoint['samples'][number];
type EventName = NonNullable<WebhookEndpointQuery['webhookEventNames']>[number];

/** @returns the form, and the newest tests with their requests and answers. */
export function webhookTests(
  context: ScreenContext,
  { endpointId: id, samples, state, template }: Endpoint,
  names: readonly EventName[],
): Html {
  const { translate, language } = context;
  const action = 'SendSampleWebhook';
  const options = names
    .filter((each) => template === null || each.template === template)
    .map(({ name, headline }) => [name, `${name} · ${headline[language]}`] as const);
  const fields = field(context, action, { name: 'eventName', label: translate('event'), options });
  const form =
    state !== 'DISABLED' &&
    actionForm(context, { action, preset: { id }, button: translate('sampleSend'), fields });
  const list =
    samples.length > 0
      ? html`<ul class="stack tight">${samples.map((each) => sampleItem(context, each))}</ul>`
      : empty('bolt', translate('noSamples'));
  return section(
    'samples',
    translate('samples'),
    html`<div class="in stack"><p class="small soft">${translate('samplesWhat')}</p>${form}<div data-live="samples">${list}</div></div>`,
  );
}

function sampleItem(context: ScreenContext, sample: Sample): Html {
  const { translate, language } = context;
  const { eventName, requestedAt, status, error, answer, body, webhookId, durationMs } = sample;
  const isEnded = durationMs !== null;
  const isSuccess = status !== null && status >= 200 && status < 300;
  const outcome = isEnded
    ? badge(isSuccess ? 'good' : 'bad', String(status ?? error))
    : badge('info', translate('sampleWaits'));
  const title = html`<code>${eventName}</code> ${outcome} <small class="soft">${listTime(requestedAt, language, 'second')}${isEnded && `, ${timeSpan(context, durationMs)}`}</small>`;
  const reported = [answer, error].filter(Boolean).join('\n');
  return html`<li>${more(title, html`<pre tabindex="0">webhook-id: ${webhookId}\ncrossramp-test: true\n\n${body}</pre><h3>${translate('answer')}</h3><pre tabindex="0">${status} ${reported}</pre>`)}</li>`;
}
