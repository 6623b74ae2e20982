/** Developers: keys, webhook endpoints, the deliveries to them, and what the sandbox plays. */
import { SCOPES } from '../../base/access/api-key.ts';
import { tick } from '../../ui/field.ts';
import { type Html, html } from '../../ui/html.ts';
import { badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { DELIVERY_STATES, deliveries, ENDPOINT_TONES } from '../parts/deliveries.ts';
import { ago, moment } from '../parts/figures.ts';
import { actForm, addForm, askedForm, field } from '../parts/form.ts';
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
    const { say } = context;
    const main = html`<div class="top"><h1>${say('developers')}</h1><p class="row push"><a class="btn" href="/graphql">GraphiQL</a><a class="btn" href="${pathTo('/events')}">${say('events')}</a>${may(context, 'admin') && html`<a class="btn" href="${pathTo('/requests')}">${say('requests')}</a>`}</p></div>
${apiKeys && keys(context, apiKeys)}${account.webhookEndpoints && endpoints(context, account.webhookEndpoints)}${deliveries(context, account)}${account.mode === 'SANDBOX' && playMoney(context, currencies, account.now)}`;
    return { title: say('developers'), main };
  },
});

function keys(context: ScreenContext, all: readonly Key[]): Html {
  const { say, language } = context;
  const columns: readonly Column<Key>[] = [
    { name: say('name'), isRowHead: true, cell: ({ name, hint }) => html`${name} <code>…${hint}</code>` },
    { name: say('scopes'), look: 'wide', cell: ({ scopes }) => scopes.join(', ') },
    {
      name: say('lastUsed'),
      look: 'wide',
      cell: ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt, language) : say('never')),
    },
    { name: say('expires'), look: 'wide', cell: ({ expiresAt }) => expiresAt && moment(expiresAt, language) },
    {
      name: say('status'),
      cell: ({ revokedAt }) => (revokedAt ? badge('idle', say('revoked')) : badge('good', say('valid'))),
    },
    { name: unseen(say('actsHere')), isActs: true, cell: (key) => !key.revokedAt && keyActs(context, key) },
  ];
  const caption = say('apiKeys');
  const shown = table({ caption, isCaptionUnseen: true, rows: all, columns });
  const content =
    all.length > 0 ? scrolled(say('tableOf', { name: caption }), shown) : empty('key', say('noKeys'));
  return section('keys', caption, html`${content}${keyForm(context)}`);
}

function keyActs(context: ScreenContext, { keyId }: Key): Html {
  const { say } = context;
  const rotate = askedForm(context, {
    act: 'RotateApiKey',
    given: { keyId, overlapSeconds: String(OVERLAP_SECONDS) },
    open: say('rotate'),
    what: say('rotateWhat'),
    button: say('rotateYes'),
  });
  const revoke = askedForm(context, {
    act: 'RevokeApiKey',
    given: { keyId },
    open: say('revoke'),
    what: say('revokeWhat'),
    button: say('revokeYes'),
    kind: 'danger',
  });
  return html`<div class="row">${rotate}${revoke}</div>`;
}

function keyForm(context: ScreenContext): Html | null {
  const { say, session } = context;
  const act = 'CreateApiKey';
  const grantable = SCOPES.filter((scope) => session.scopes.includes(scope));
  const ticks = grantable.map((scope) =>
    tick({ name: `${act}-${scope}`, label: scope, attributes: { name: 'scopes', value: scope } }),
  );
  const fields = html`${field(context, act, { name: 'name', label: say('name'), isRequired: true })}<fieldset><legend>${say('scopes')}</legend>${ticks}</fieldset>`;
  return addForm(context, { act, open: say('addKey'), button: say('addKey'), fields });
}

function endpoints(context: ScreenContext, all: readonly Endpoint[]): Html {
  const { say } = context;
  const columns: readonly Column<Endpoint>[] = [
    {
      name: say('url'),
      isRowHead: true,
      cell: ({ url, endpointId: id }) => html`<a href="${pathTo(`/webhooks/${id}`)}">${url}</a>`,
    },
    { name: say('name'), look: 'wide', cell: ({ description }) => description },
    {
      name: say('status'),
      cell: ({ state, disabledReason }) =>
        html`${badge(ENDPOINT_TONES[state], say(state))} <small>${disabledReason}</small>`,
    },
    { name: unseen(say('actsHere')), isActs: true, cell: (endpoint) => endpointActs(context, endpoint) },
  ];
  const caption = say('endpoints');
  const shown = table({ caption, isCaptionUnseen: true, rows: all, columns });
  const listed = scrolled(say('tableOf', { name: caption }), shown);
  const act = 'CreateWebhookEndpoint';
  const fields = html`${field(context, act, { name: 'url', label: say('url'), type: 'url', isRequired: true })}${field(context, act, { name: 'description', label: say('name') })}`;
  const form = addForm(context, { act, open: say('addEndpoint'), button: say('addEndpoint'), fields });
  const content = all.length > 0 ? listed : empty('bolt', say('noEndpoints'));
  return section(
    'endpoints',
    caption,
    html`${content}${form}<p class="small"><a href="${pathTo('/webhook-secrets')}">${say('sharedSecretLink')}</a></p>`,
  );
}

function endpointActs(context: ScreenContext, { endpointId: id, state, isRecoverable }: Endpoint): Html {
  const { say } = context;
  const given = { id };
  const remove = askedForm(context, {
    act: 'RemoveWebhookEndpoint',
    given,
    open: say('removeEndpoint'),
    what: say('removeEndpointWhat'),
    button: say('removeEndpointYes'),
    kind: 'danger',
  });
  const recover = askedForm(context, {
    act: 'RecoverWebhookEndpoint',
    given,
    open: say('recover'),
    what: say('recoverWhat'),
    button: say('recoverYes'),
  });
  const simple = (act: string, button: string) => actForm(context, { act, given, button, kind: 'pill' });
  const secret = html`<a class="btn pill" href="${pathTo('/webhook-secrets', { endpoint: id })}">${say('secret')}</a>`;
  return html`<div class="row">${secret}${state === 'ENABLED' && simple('PauseWebhookEndpoint', say('pause'))}${state !== 'ENABLED' && simple('ResumeWebhookEndpoint', say('resume'))}${isRecoverable && recover}${state !== 'DISABLED' && simple('SendTestWebhook', say('test'))}${remove}</div>`;
}
