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

/** The four labels of a transaction's present state. */
export interface Labels {
  readonly status: Label;
  readonly substatus: Label;
  readonly message: Label;
  /** Both texts empty when there is no error. */
  readonly errorMessage: Label;
}

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
  const labelsOf = labelsWriter(registry);
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
      `"template":"${row.template}",${times(row)},${labelsOf(row)},"attributes":{${attributes(row)}}}`,
    embedded: (row) =>
      `{"end2end":${JSON.stringify(row.end2end)},"template":"${row.template}",${times(row)},${labelsOf(row)},"attributes":{${attributes(row)}}}`,
  };
}

/** @returns the labels of a row: those of its step, unless history was published with others (C-70). */
export function labelsOf(registry: Registry, row: TransactionRow): Labels {
  const step = registry.stepOf(row.template, row.component, row.state);
  return {
    status: publishedLabel('status', step.status, row),
    substatus: publishedLabel('substatus', step.substatus, row),
    message: publishedLabel('message', step.message, row),
    errorMessage: { en: row.errorEn, pt: row.errorPt },
  };
}

function publishedLabel(name: 'status' | 'substatus' | 'message', ours: Label, row: TransactionRow): Label {
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
      const { status, substatus, message } = labelsOf(registry, row);
      labels = [
        labelJson('status', status),
        labelJson('substatus', substatus),
        labelJson('message', message),
      ].join(',');
      if (!row.asPublished) written.set(step, labels);
    }
    return `${labels},${error}`;
  };
}

const NO_ERROR = '"error_message":{"en":"","pt":""}';

function labelJson(name: string, label: Label): string {
  return `"${name}":${JSON.stringify({ en: label.en, pt: label.pt })}`;
}
