/** The catalogue of events and steps, made from the templates: what docs/catalogue.md has to say. */
import { eventNamesOf, extraEvents } from '../src/templates/event-names.ts';
import { REGISTRY } from '../src/templates/index.ts';

/** @returns the text of docs/catalogue.md. */
export function catalogueText(): string {
  return [HEAD, ...REGISTRY.templates.map(chapterOf)].join('\n');
}

const HEAD = `# Events and steps

Every step that a transaction can reach, with its event. The name of an event is
\`<template>.<component>.<state>\` in lower case; \`*\` in a name of a webhook endpoint stands for a whole part or for characters
within one. The last column says how a step can end a transaction: nothing follows a step marked \`ends\`;
only a late payment, deposit, return or dispute can follow one marked \`late\`. A refund, a second dispute, or the
outcome of a failed return can still follow the end of a payment (docs/ledger.md). \`npm run catalogue\` makes this page from the templates.
`;

function chapterOf(template: (typeof REGISTRY.templates)[number]): string {
  const names = eventNamesOf(template);
  const rows = template.steps.map(({ component, state, status, substatus, message, ending }, index) => {
    const ends = ending === 'open' ? '' : ending === 'final' ? 'ends' : 'late';
    return `| \`${names[index]}\` | \`${component}\` / \`${state}\` | ${status.en} | ${substatus.en} | ${message.en} | ${ends} |`;
  });
  const extra = extraEvents(template);
  return [
    `## ${template.name}`,
    '',
    `${template.product}. ${template.direction}.`,
    '',
    '| Event | Component / state | Status | Substatus | Message | |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...(extra.length > 0
      ? [
          'Events that do not change the step:',
          '',
          '| Event | |',
          '|---|---|',
          ...extra.map(({ name, doc }) => `| \`${name}\` | ${doc} |`),
          '',
        ]
      : []),
  ].join('\n');
}
