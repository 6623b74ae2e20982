/** Developers: keys, webhook endpoints, their deliveries, and the scenarios of the sandbox. */
import { SCOPES } from '../../base/access/api-key.ts';
import { tick } from '../../ui/field.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { DELIVERY_STATES, deliveries, ENDPOINT_TONES } from '../parts/deliveries.ts';
import { ago, listTime } from '../parts/figures.ts';
import { actionForm, addForm, disclosedForm, field } from '../parts/form.ts';
import { chosen, pageVariables, section, unseen } from '../parts/lists.ts';
import { playMoney } from '../parts/sandbox.ts';

type Account = DevelopersQuery['viewer']['account'];
type Key = NonNullable<DevelopersQuery['apiKeys']>[number];
type Endpoint = NonNullable<Account['webhookEndpoints']>[number];

/** Overlap of a replaced key. Unit: seconds. */
const OVERLAP_SECONDS = 86_400;

/** The screen. */
export const DEVELOPERS = screenOf<DevelopersQuery>({
  path: '/developers',
  operation: operationNamed('Developers'),
  variables: (context) => {
    const { query } = context;
    const state = chosen(context, 'state', DELIVERY_STATES);
    return {
      isAdmin: may(context, 'admin'),
      ...(state && { states: [state] }),
      ...(query.get('endpoint') && { endpointId: query.get('endpoint') }),
      ...pageVariables(context),
    };
  },
  view: ({ apiKeys, currencies, viewer: { account } }, context) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('developers')}</h1><p class="row push"><a class="btn" href="/graphql">GraphiQL</a><a class="btn" href="${pathTo('/events')}">${translate('events')}</a>${may(context, 'admin') && html`<a class="btn" href="${pathTo('/requests')}">${translate('requests')}</a>`}</p></div>
${apiKeys && keys(context, apiKeys)}${account.webhookEndpoints && endpoints(context, account.webhookEndpoints)}${deliveries(context, account)}${account.mode === 'SANDBOX' && playMoney(context, currencies, account.now)}`;
    return { title: translate('developers'), main };
  },
});

function keys(context: ScreenContext, all: readonly Key[]): Html {
  const { translate, language } = context;
  const columns: readonly Column<Key>[] = [
    {
      name: translate('name'),
      isRowHead: true,
      cell: ({ name, hint }) => html`${name} <code>…${hint}</code>`,
    },
    { name: translate('scopes'), cell: ({ scopes }) => scopes.join(', ') },
    {
      name: translate('lastUsed'),
      style: 'wide',
      cell: ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt, language) : translate('never')),
    },
    {
      name: translate('expires'),
      style: 'wide',
      cell: ({ expiresAt }) => expiresAt && listTime(expiresAt, language),
    },
    {
      name: translate('status'),
      cell: ({ revokedAt }) =>
        revokedAt ? badge('idle', translate('revoked')) : badge('good', translate('valid')),
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (key) => !key.revokedAt && keyActions(context, key),
    },
  ];
  const caption = translate('apiKeys');
  const shown = table({ caption, isCaptionUnseen: true, rows: all, columns });
  const content =
    all.length > 0
      ? scrolled(translate('tableOf', { name: caption }), shown)
      : empty('key', translate('noKeys'));
  return section('keys', caption, html`${content}${keyForm(context)}`);
}

function keyActions(context: ScreenContext, { keyId }: Key): Html {
  const { translate } = context;
  const rotate = disclosedForm(context, {
    action: 'RotateApiKey',
    preset: { keyId, overlapSeconds: String(OVERLAP_SECONDS) },
    open: translate('rotate'),
    what: translate('rotateWhat'),
    button: translate('rotateYes'),
  });
  const revoke = disclosedForm(context, {
    action: 'RevokeApiKey',
    preset: { keyId },
    open: translate('revoke'),
    what: translate('revokeWhat'),
    button: translate('revokeYes'),
    kind: 'danger',
  });
  return html`<div class="row">${rotate}${revoke}</div>`;
}

function keyForm(context: ScreenContext): Html | null {
  const { translate, session } = context;
  const action = 'CreateApiKey';
  const grantable = SCOPES.filter((scope) => session.scopes.includes(scope));
  const ticks = grantable.map((scope) =>
    tick({
      ...{ name: `${action}-${scope}`, label: scope, hint: translate(`scope_${scope}`) },
      attributes: { name: 'scopes', value: scope },
    }),
  );
  const fields = html`${field(context, action, { name: 'name', label: translate('name'), isRequired: true })}<fieldset><legend>${translate('scopes')}</legend>${ticks}</fieldset>${field(context, action, { name: 'expiresAt', label: translate('expires'), hint: translate('expiresHint'), type: 'datetime-local' })}`;
  return addForm(context, { action, open: translate('addKey'), button: translate('addKey'), fields });
}

function endpoints(context: ScreenContext, all: readonly Endpoint[]): Html {
  const { translate } = context;
  const columns: readonly Column<Endpoint>[] = [
    {
      name: translate('url'),
      isRowHead: true,
      cell: ({ url, endpointId: id }) => html`<a href="${pathTo(`/webhooks/${id}`)}">${url}</a>`,
    },
    { name: translate('name'), style: 'wide', cell: ({ description }) => description },
    {
      name: translate('status'),
      cell: ({ state, disabledReason }) =>
        html`${badge(ENDPOINT_TONES[state], translate(state))} <small>${disabledReason}</small>`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (endpoint) => endpointActions(context, endpoint),
    },
  ];
  const caption = translate('endpoints');
  const shown = table({ caption, isCaptionUnseen: true, rows: all, columns });
  const listed = scrolled(translate('tableOf', { name: caption }), shown);
  const action = 'CreateWebhookEndpoint';
  const fields = html`${field(context, action, { name: 'url', label: translate('url'), type: 'url', isRequired: true })}${field(context, action, { name: 'description', label: translate('name') })}`;
  const form = addForm(context, {
    action,
    open: translate('addEndpoint'),
    button: translate('addEndpoint'),
    fields,
  });
  const content = all.length > 0 ? listed : empty('bolt', translate('noEndpoints'));
  return section(
    'endpoints',
    caption,
    html`${content}${form}<p class="in small"><a href="${pathTo('/webhook-secrets')}">${translate('sharedSecretLink')}</a></p>`,
  );
}

function endpointActions(context: ScreenContext, { endpointId: id, state, isRecoverable }: Endpoint): Html {
  const { translate } = context;
  const preset = { id };
  const remove = disclosedForm(context, {
    action: 'RemoveWebhookEndpoint',
    preset,
    open: translate('removeEndpoint'),
    what: translate('removeEndpointWhat'),
    button: translate('removeEndpointYes'),
    kind: 'danger',
  });
  const recover = disclosedForm(context, {
    action: 'RecoverWebhookEndpoint',
    preset,
    open: translate('recover'),
    what: translate('recoverWhat'),
    button: translate('recoverYes'),
  });
  const simple = (action: string, button: string) =>
    actionForm(context, { action, preset, button, kind: 'pill' });
  const secret = html`<a class="btn pill" href="${pathTo('/webhook-secrets', { endpoint: id })}">${translate('secret')}</a>`;
  return html`<div class="row">${secret}${state === 'ENABLED' && simple('PauseWebhookEndpoint', translate('pause'))}${state !== 'ENABLED' && simple('ResumeWebhookEndpoint', translate('resume'))}${isRecoverable && recover}${state !== 'DISABLED' && simple('SendTestWebhook', translate('test'))}${remove}</div>`;
}
