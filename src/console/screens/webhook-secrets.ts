/** Signing secrets of webhooks: shown for copying, and replaced. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { copyValue } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WebhookSecretsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { listTime } from '../parts/figures.ts';
import { disclosedForm, field } from '../parts/form.ts';

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
    const { translate, query } = context;
    const endpointId = query.get('endpoint');
    const endpoint = account.webhookEndpoints?.find(({ endpointId: id }) => id === endpointId);
    const main = html`<nav class="small" aria-label="${translate('youAreHere')}"><a class="go" href="${pathTo('/developers')}">${translate('developers')}</a></nav>
<div class="top"><h1>${translate('signingSecrets')}</h1><p class="soft">${endpoint ? html`<code>${endpoint.url}</code>` : translate('sharedSecret')}</p></div>
<p class="soft small">${translate('signingSecretsWhat')} <a href="/docs/events#webhooks">${translate('howToVerify')}</a></p>
${(account.webhookSecrets ?? []).map((each, at) => secretCard(context, each, `secret-${at}`))}${rotation(context, endpointId)}`;
    return { title: translate('signingSecrets'), main };
  },
});

function secretCard(
  { translate, language }: ScreenContext,
  { secret, validUntil }: Secret,
  id: string,
): Html {
  const name = validUntil
    ? html`${translate('validUntil')} ${listTime(validUntil, language)}`
    : translate('currentSecret');
  const button = html`<button type="button" data-copy="${id}" hidden>${icon('copy')} ${translate('copy')}</button>`;
  return html`<section class="card in stack tight"><h2>${name}</h2>${copyValue({ id, shown: secret, button })}</section>`;
}

function rotation(context: ScreenContext, endpointId: string | null): Html | null {
  const { translate } = context;
  const action = 'RotateWebhookSecret';
  const options = OVERLAPS.map((seconds) => [String(seconds), translate(`overlap_${seconds}`)] as const);
  return disclosedForm(context, {
    action,
    fields: field(context, action, {
      name: 'overlapSeconds',
      label: translate('overlap'),
      value: '86400',
      options,
    }),
    preset: endpointId ? { endpointId } : {},
    open: translate('rotate'),
    what: translate('rotateSecretWhat'),
    button: translate('rotateYes'),
  });
}
