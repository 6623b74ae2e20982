/** The reference of events, drawn from the AsyncAPI document: their names, bodies and headers. */
import { type DocPage, docPath } from './doc-page.ts';
import { renderTwice } from './markdown.ts';
import { cell, code, table } from './markdown-parts.ts';

/** As much of an AsyncAPI document as the reference needs. */
export interface AsyncApi {
  readonly channels: Readonly<
    Record<string, { readonly address: string | null; readonly description: string }>
  >;
  readonly components: {
    readonly messages: Readonly<
      Record<
        string,
        {
          readonly title: string;
          readonly summary: string;
          readonly headers: {
            readonly properties: Readonly<Record<string, { readonly description?: string }>>;
          };
          readonly 'x-event-names': readonly string[];
        }
      >
    >;
  };
}

/** @returns the page of all events. */
export function eventsReference({ channels, components }: AsyncApi): DocPage {
  const messages = Object.entries(components.messages);
  const headers = Object.entries(messages[0]?.[1].headers.properties ?? {});
  const text = `# Events reference

Every event of this gateway, drawn from [its AsyncAPI document](/v2/asyncapi.json). How events are followed stands in
[Events](${docPath('events')}); what each step means stands in [Events and steps](${docPath('catalogue')}).

## Channels

${table(
  ['Channel', 'Address', 'Meaning'],
  Object.entries(channels).map(([name, { address, description }]) => [
    code(name),
    address === null ? '' : code(address),
    cell(description),
  ]),
)}
## Headers of a webhook

${table(
  ['Header', 'Meaning'],
  headers.map(([name, { description }]) => [code(name), cell(description)]),
)}
${messages
  .map(
    ([name, { title, summary, 'x-event-names': events }]) =>
      `## ${name}\n\n${title}: ${summary}. The body is [${name}](${docPath('api/rest', name.toLowerCase())}).\n\n${events.map((event) => `- ${code(event)}`).join('\n')}\n`,
  )
  .join('\n')}`;
  const { html, ...rest } = renderTwice(text, (target) => target);
  return { ...rest, path: 'api/events', title: 'Events reference', group: 'reference', body: html };
}
