/** The published JSON of a transaction: alone (GET, list item, webhook body) and embedded in a statement entry. */

import { assert } from '../base/assert.ts';
import type { Label } from '../base/label.ts';
import type { Step, Template } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import {
  type AttributeWriter,
  attributeReader,
  attributeWriter,
  instantWriter,
  type WireOptions,
} from './attributes.ts';

/** The labels that a step has and history may have published differently, in the order of the envelope. */
const LABELS = ['status', 'substatus', 'message'] as const;
/** One of these labels. */
export type LabelName = (typeof LABELS)[number];

/** Writes transactions as JSON text. */
export interface EnvelopeWriter {
  /** The single-record body (`service.md` 2.1, C-1). */
  readonly envelope: (row: TransactionRow) => string;
  /** The form inside a statement entry: without component and state (C-18). */
  readonly embedded: (row: TransactionRow) => string;
}

/**
 * @param registry - the templates that can occur.
 * @param options - how exactly values are written.
 */
export function envelopeWriter(registry: Registry, options: WireOptions): EnvelopeWriter {
  const attributesOf = new Map(
    registry.templates.map((template) => [template.name, attributesWriter(template, options)]),
  );
  const labels = labelsWriter(registry);
  const attributes = (row: TransactionRow) => {
    const write = attributesOf.get(row.template);
    assert(write, `template ${row.template} is in the registry`);
    return write(row);
  };
  const iso = instantWriter(options);
  const times = (row: TransactionRow) =>
    `"created_at":"${iso(row.createdAt)}","updated_at":"${iso(row.updatedAt)}"`;
  return {
    envelope: (row) =>
      `{"end2end":${JSON.stringify(row.end2end)},"component":${JSON.stringify(row.component)},"state":${JSON.stringify(row.state)},` +
      `"template":"${row.template}",${times(row)},${labels(row)},"attributes":{${attributes(row)}}}`,
    embedded: (row) =>
      `{"end2end":${JSON.stringify(row.end2end)},"template":"${row.template}",${times(row)},${labels(row)},"attributes":{${attributes(row)}}}`,
  };
}

/** @returns a label of a row: that of its step, unless history was published with another (C-70). */
export function labelOf(registry: Registry, row: TransactionRow, name: LabelName): Label {
  const ours = registry.stepOf(row.template, row.component, row.state)[name];
  if (!row.asPublished) return ours;
  return { en: row.asPublished[`${name}.en`] ?? ours.en, pt: row.asPublished[`${name}.pt`] ?? ours.pt };
}

function attributesWriter(template: Template, options: WireOptions): AttributeWriter {
  const writers = template.attributes.map((attribute) => {
    const key = `${JSON.stringify(attribute.name)}:`;
    const write = attributeWriter(attribute, options);
    if (!attribute.optional) return (row: TransactionRow) => key + write(row);
    const read = attributeReader(attribute);
    return (row: TransactionRow) => (read(row) === null ? '' : key + write(row));
  });
  return (row) => {
    let text = '';
    for (const write of writers) {
      const member = write(row);
      if (member !== '') text += text === '' ? member : `,${member}`;
    }
    return text;
  };
}

function labelsWriter(registry: Registry): (row: TransactionRow) => string {
  const written = new WeakMap<Step, string>();
  return (row) => {
    const error =
      row.errorEn === '' && row.errorPt === ''
        ? NO_ERROR
        : labelJson('error_message', { en: row.errorEn, pt: row.errorPt });
    const step = registry.stepOf(row.template, row.component, row.state);
    let labels = row.asPublished ? undefined : written.get(step);
    if (labels === undefined) {
      labels = LABELS.map((name) => labelJson(name, labelOf(registry, row, name))).join(',');
      if (!row.asPublished) written.set(step, labels);
    }
    return `${labels},${error}`;
  };
}

const NO_ERROR = '"error_message":{"en":"","pt":""}';

function labelJson(name: string, label: Label): string {
  return `"${name}":${JSON.stringify({ en: label.en, pt: label.pt })}`;
}
