/** Made-up events for an endpoint: a form that sends one of any name, and those that were sent. */
import { type Html, html } from '../../ui/html.ts';
import { badge, empty, more } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { WebhookEndpointQuery } from '../generated/graphql.ts';
import { timeSpan } from './changes.ts';
import { moment } from './figures.ts';
import { actForm, field } from './form.ts';
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
  const { say, language } = context;
  const act = 'SendSampleWebhook';
  const options = names
    .filter((each) => template === null || each.template === template)
    .map(({ name, headline }) => [name, `${name} · ${headline[language]}`] as const);
  const fields = field(context, act, { name: 'eventName', label: say('event'), options });
  const form =
    state !== 'DISABLED' && actForm(context, { act, given: { id }, button: say('sampleSend'), fields });
  const list =
    samples.length > 0
      ? html`<ul class="stack tight">${samples.map((each) => sampleItem(context, each))}</ul>`
      : empty('bolt', say('noSamples'));
  return section(
    'samples',
    say('samples'),
    html`<div class="in stack"><p class="small soft">${say('samplesWhat')}</p>${form}<div data-live="samples">${list}</div></div>`,
  );
}

function sampleItem(context: ScreenContext, sample: Sample): Html {
  const { say, language } = context;
  const { eventName, requestedAt, status, error, answer, body, webhookId, durationMs } = sample;
  const isEnded = durationMs !== null;
  const isGood = status !== null && status >= 200 && status < 300;
  const outcome = isEnded
    ? badge(isGood ? 'good' : 'bad', String(status ?? error))
    : badge('info', say('sampleWaits'));
  const title = html`<code>${eventName}</code> ${outcome} <small class="soft">${moment(requestedAt, language, 'second')}${isEnded && `, ${timeSpan(context, durationMs)}`}</small>`;
  const told = [answer, error].filter(Boolean).join('\n');
  return html`<li>${more(title, html`<pre tabindex="0">webhook-id: ${webhookId}\ncrossramp-test: true\n\n${body}</pre><h3>${say('answer')}</h3><pre tabindex="0">${status} ${told}</pre>`)}</li>`;
}
