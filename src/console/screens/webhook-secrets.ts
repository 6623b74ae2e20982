/** Signing secrets of webhooks: shown to be copied, and replaced. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { copyValue } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WebhookSecretsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { moment } from '../parts/figures.ts';
import { askedForm, field } from '../parts/form.ts';

type Account = WebhookSecretsQuery['viewer']['account'];
type Secret = NonNullable<Account['webhookSecrets']>[number];

/** Overlaps to choose from; the default is a day. Unit: s. */
const OVERLAPS = [86_400, 3_600, 604_800, 0] as const;

/** The screen. Its query names the endpoint by `endpoint`; without one it is about the shared secret. */
export const WEBHOOK_SECRETS = screenOf<WebhookSecretsQuery>({
  path: '/webhook-secrets',
  operation: operationNamed('WebhookSecrets'),
  scope: 'admin',
  variables: ({ query }) => (query.get('endpoint') ? { endpointId: query.get('endpoint') } : {}),
  view: ({ viewer: { account } }, context) => {
    const { say, query } = context;
    const endpointId = query.get('endpoint');
    const endpoint = account.webhookEndpoints?.find(({ endpointId: id }) => id === endpointId);
    const main = html`<nav class="small" aria-label="${say('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${say('developers')}</a></nav>
<div class="top"><h1>${say('signingSecrets')}</h1><p class="soft">${endpoint ? html`<code>${endpoint.url}</code>` : say('sharedSecret')}</p></div>
<p class="soft small">${say('signingSecretsWhat')} <a href="/docs/events#webhooks">${say('howToVerify')}</a></p>
${(account.webhookSecrets ?? []).map((each, at) => secretCard(context, each, `secret-${at}`))}${rotation(context, endpointId)}`;
    return { title: say('signingSecrets'), main };
  },
});

function secretCard({ say, language }: ScreenContext, { secret, validUntil }: Secret, id: string): Html {
  const name = validUntil ? html`${say('validUntil')} ${moment(validUntil, language)}` : say('currentSecret');
  const button = html`<button type="button" data-copy="${id}" hidden>${icon('copy')} ${say('copy')}</button>`;
  return html`<section class="card in stack tight"><h2>${name}</h2>${copyValue({ id, shown: secret, button })}</section>`;
}

function rotation(context: ScreenContext, endpointId: string | null): Html | null {
  const { say } = context;
  const act = 'RotateWebhookSecret';
  const options = OVERLAPS.map((seconds) => [String(seconds), say(`overlap_${seconds}`)] as const);
  return askedForm(context, {
    act,
    fields: field(context, act, { name: 'overlapSeconds', label: say('overlap'), value: '86400', options }),
    given: endpointId ? { endpointId } : {},
    open: say('rotate'),
    what: say('rotateSecretWhat'),
    button: say('rotateYes'),
  });
}
