/**
 * Choice of the events that an endpoint gets: the chosen ones, and a search for more. This part works without script.
 */
import { tick } from '../../ui/field.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { WebhookEndpointQuery } from '../generated/graphql.ts';
import { translateName } from '../words.ts';
import { actionForm, disclosedForm, field, queryForm } from './form.ts';
import { section, unseen } from './lists.ts';

type Endpoint = NonNullable<WebhookEndpointQuery['viewer']['account']['webhookEndpoint']>;
type EventName = NonNullable<WebhookEndpointQuery['webhookEventNames']>[number];

const ACTION = 'UpdateWebhookEndpoint';

/** @returns the chosen events, each with a form that removes it, and the search results. */
export function eventChoice(
  context: ScreenContext,
  { endpointId: id, eventNames, template }: Endpoint,
  all: readonly EventName[],
): Html {
  const { translate, query } = context;
  const found = all.filter((each) => template === null || each.template === template);
  const search = queryForm(
    context,
    field(context, ACTION, {
      name: 'find',
      label: translate('findEvents'),
      hint: translate('findEventsHint'),
      value: query.get('find'),
    }),
    translate('find'),
    ['find', 'done'],
  );
  return section(
    'events',
    translate('chosenEvents'),
    html`${chosenTable(context, id, eventNames)}<div id="find">${search}</div>${additions(context, { id, eventNames, found })}`,
  );
}

function chosenTable(context: ScreenContext, id: string, eventNames: readonly string[]): Html {
  const { translate } = context;
  if (eventNames.length === 0) return html`<p class="in small soft">${translate('allEventsSent')}</p>`;
  const isLast = eventNames.length === 1;
  const removal = (event: string) =>
    disclosedForm(context, {
      action: ACTION,
      preset: { id, eventNames: eventNames.filter((each) => each !== event), removed: event },
      open: translate('takeAway'),
      what: isLast ? translate('removeLastEventWhat') : translate('removeEventWhat', { event }),
      button: translate('removeEventYes'),
      kind: 'danger',
    });
  const columns: readonly Column<string>[] = [
    { name: translate('event'), isRowHead: true, cell: (event) => html`<code>${event}</code>` },
    { name: unseen(translate('actsHere')), isActions: true, cell: removal },
  ];
  const caption = translate('chosenEvents');
  return html`<p class="in small soft">${translate('onlyEventsSent')}</p>${table({ caption, isCaptionUnseen: true, rows: eventNames, columns })}`;
}

/** Events to add: without a search all events of a template together, otherwise each result separately. */
function additions(
  context: ScreenContext,
  {
    id,
    eventNames,
    found,
  }: { readonly id: string; readonly eventNames: readonly string[]; readonly found: readonly EventName[] },
): Html | null {
  const { translate, query, language } = context;
  const named = query.get('find')
    ? found.map(({ name, headline }) => ({ name, meaning: headline[language] }))
    : [...new Map(found.map(({ name, template }) => [template, name])).entries()].map(([template, name]) => ({
        name: `${name.split('.')[0]}.*.*`,
        meaning:
          template === null
            ? translate('everyNotification')
            : translate('everyEventOf', { template: translateName(translate, `template_${template}`) }),
      }));
  const offered = named.filter(({ name }) => !eventNames.includes(name));
  if (offered.length === 0) return empty('search', translate('noEventsFound'));
  const ticks = offered.map(({ name, meaning }) =>
    tick({
      name: `${ACTION}-${name}`,
      label: html`<code>${name}</code> <span class="soft">${meaning}</span>`,
      attributes: { name: 'eventNames', value: name },
    }),
  );
  const fields = html`<fieldset><legend>${translate('eventsFound')}</legend>${ticks}</fieldset>`;
  const form = actionForm(context, {
    action: ACTION,
    preset: { id, eventNames, part: 'addition' },
    button: translate('addEvents'),
    fields,
  });
  return form && html`<div class="in">${form}</div>`;
}
