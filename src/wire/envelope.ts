/**
 * The published JSON of a transaction: as its own body (GET, list item, webhook) and embedded in a statement entry.
 */
import { assert } from '../base/errors/assert.ts';
import { currencyOf, currencyOfHistory, explorerUrl } from '../base/money/currency.ts';
import { roundHalfUp, trimDecimal } from '../base/money/money.ts';
import type { Label } from '../base/text/label.ts';
import { quoted } from '../base/text/quoted.ts';
import { type Instant, isoExact, isoSeconds } from '../base/time/instant.ts';
import { GAP, type StoredBody } from '../events/body.ts';
import type { Attribute, Step, Template } from '../templates/define.ts';
import type { FactName, PublishedRow } from '../templates/facts.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';

/** Labels of a step that imported history may have published differently, in the order of the envelope. */
const LABELS = ['status', 'substatus', 'message'] as const;
/** A member of LABELS. */
export type LabelName = (typeof LABELS)[number];

/** Writes transactions as JSON text. */
export interface EnvelopeWriter {
  /** The single-record body (`service.md` 2.1, C-1). */
  readonly envelope: (row: PublishedRow) => string;
  /** The single-record body as events store it. The body is stored whole if imported history may have other labels. */
  readonly stored: (row: PublishedRow) => StoredBody;
  /** The form inside a statement entry: without component and state (C-18). */
  readonly embedded: (row: PublishedRow) => string;
}

/**
 * @param registry - the templates that can occur.
 * @param options - precision of written values.
 */
export function envelopeWriter(registry: Registry, options: WireOptions): EnvelopeWriter {
  const templates = new Map(
    registry.templates.map((template) => [template.name, attributesWriter(template, options)]),
  );
  const textsOf = stepTexts(registry);
  const iso = instantWriter(options);
  const rest = (row: PublishedRow, { labels }: StepTexts, put: PutValue) => {
    const attributes = templates.get(row.template);
    assert(attributes, `template ${row.template} is in the registry`);
    const hasError = row.errorEn !== '' || row.errorPt !== '';
    return (
      `,"template":"${row.template}","created_at":${put(`"${iso(row.createdAt)}"`)},"updated_at":${put(`"${iso(row.updatedAt)}"`)}` +
      `${labels}${hasError ? put(errorJson(row)) : NO_ERROR},"attributes":{${attributes(row, put)}}}`
    );
  };
  const envelope = (row: PublishedRow, put: PutValue) => {
    const texts = textsOf(row);
    return `{"end2end":${put(quoted(row.end2end))}${texts.name}${rest(row, texts, put)}`;
  };
  return {
    envelope: (row) => envelope(row, AS_IT_IS),
    stored: (row) =>
      row.asPublished
        ? { form: null, payload: envelope(row, AS_IT_IS) }
        : storedBody((put) => envelope(row, put)),
    embedded: (row) => `{"end2end":${quoted(row.end2end)}${rest(row, textsOf(row), AS_IT_IS)}`,
  };
}

/** @returns a label of a row: that of its step, unless imported history published another (C-70). */
export function labelOf(registry: Registry, row: PublishedRow, name: LabelName): Label {
  const ours = registry.stepOf(row.template, row.component, row.state)[name];
  if (!row.asPublished) return ours;
  return { en: row.asPublished[`${name}.en`] ?? ours.en, pt: row.asPublished[`${name}.pt`] ?? ours.pt };
}

/** Adds a JSON value, and returns the placeholder for it in the text. */
type PutValue = (json: string) => string;

const AS_IT_IS: PutValue = (json) => json;
/** Published form of most missing values. */
const EMPTY = '""';

/** @returns the text of a body, with values separated from its form. Bodies that lack the same values share a form. */
function storedBody(write: (put: PutValue) => string): StoredBody {
  const values: string[] = [];
  const form = write((json) => {
    if (json === EMPTY) return json;
    values.push(json);
    return GAP;
  });
  return { form, payload: values.join(GAP) };
}

function attributesWriter(
  template: Template,
  options: WireOptions,
): (row: PublishedRow, put: PutValue) => string {
  const members = template.attributes.map((attribute) => ({
    first: `${JSON.stringify(attribute.name)}:`,
    next: `,${JSON.stringify(attribute.name)}:`,
    write: attributeWriter(attribute, options),
    isThere: attribute.optional ? attributeReader(attribute) : null,
    isOfForm: isOfForm(attribute),
  }));
  return (row, put) => {
    let text = '';
    for (const { first, next, write, isThere, isOfForm } of members)
      if (isThere === null || isThere(row) !== null)
        text += (text === '' ? first : next) + (isOfForm ? write(row) : put(write(row)));
    return text;
  };
}

/**
 * @returns whether an attribute has only a few possible values, shared by many bodies, which therefore belong to the
 *   form.
 */
function isOfForm({ kind, fact }: Attribute): boolean {
  return kind.startsWith('currency_') || kind === 'pix_key_type' || fact === 'template';
}

/** Constant texts of a step's body between its values. */
interface StepTexts {
  readonly name: string;
  readonly labels: string;
}

/** @returns the texts of a row's step; cached unless imported history has other labels. */
function stepTexts(registry: Registry): (row: PublishedRow) => StepTexts {
  const made = new WeakMap<Step, StepTexts>();
  return (row) => {
    const step = registry.stepOf(row.template, row.component, row.state);
    const known = row.asPublished ? undefined : made.get(step);
    if (known) return known;
    const labels = LABELS.map((name) => labelJson(name, labelOf(registry, row, name)));
    const texts = {
      name: `,"component":${quoted(row.component)},"state":${quoted(row.state)}`,
      labels: `,${labels.join(',')},"error_message":`,
    };
    if (!row.asPublished) made.set(step, texts);
    return texts;
  };
}

const NO_ERROR = '{"en":"","pt":""}';

function errorJson({ errorEn, errorPt }: PublishedRow): string {
  return JSON.stringify({ en: errorEn, pt: errorPt });
}

function labelJson(name: string, label: Label): string {
  return `"${name}":${JSON.stringify({ en: label.en, pt: label.pt })}`;
}

/**
 * Reads an attribute of a row as text: the exact decimal, the instant as stored, or the name of the currency.
 * @returns null for an unknown value.
 */
export type AttributeReader = (row: PublishedRow) => string | null;

/** Writes an attribute of a row as a JSON token; an unknown text is `""` (C-5), an unknown number `null`. */
export type AttributeWriter = (row: PublishedRow) => string;

/** Precision of written values. */
export interface WireOptions {
  /** Writes exact values for attributes that are published as rounded integers (C-4). */
  readonly exactIntegers: boolean;
  /** Writes fractions of seconds, which the published form omits (C-2). */
  readonly exactInstants?: boolean;
}

/** @returns the writer of an instant. */
function instantWriter({ exactInstants }: WireOptions): (instant: Instant) => string {
  return exactInstants ? isoExact : isoSeconds;
}

/** @returns the reader of an attribute. A value that imported history published differently has priority (C-70). */
export function attributeReader(attribute: Attribute): AttributeReader {
  const read = canonicalReader(attribute);
  const { name } = attribute;
  return (row) => row.asPublished?.[name] ?? read(row);
}

/** @param options - precision of the written value. @returns the writer of an attribute. */
function attributeWriter(attribute: Attribute, options: WireOptions): AttributeWriter {
  const read = attributeReader(attribute);
  const { wire } = KINDS[attribute.kind];
  if (wire === 'number' || (wire === 'integer' && options.exactIntegers)) return (row) => read(row) ?? 'null';
  if (wire === 'integer') {
    return (row) => {
      const text = read(row);
      return text === null ? 'null' : roundHalfUp(text, 0);
    };
  }
  if (attribute.kind === 'instant') {
    const iso = instantWriter(options);
    return (row) => {
      const text = read(row);
      return text === null ? '""' : `"${iso(text)}"`;
    };
  }
  return (row) => {
    const text = read(row);
    return text === null ? '""' : quoted(text);
  };
}

/** @returns a reader that uses only the row's facts, and ignores differing values of imported history. */
export function canonicalReader(attribute: Attribute): AttributeReader {
  const fact = factReader(attribute.fact);
  switch (attribute.kind) {
    case 'rate':
    case 'amount':
    case 'rounded':
      return (row) => mapText(fact(row), trimDecimal);
    case 'currency_name':
      return (row) => mapText(fact(row), (code) => currencyOfHistory(code)?.displayName ?? code);
    case 'currency_asset':
      return (row) => mapText(fact(row), (code) => currencyOfHistory(code)?.asset ?? code);
    default:
      return fact;
  }
}

function factReader(fact: FactName): AttributeReader {
  switch (fact) {
    case 'explorerUrl':
      return (row) =>
        row.txHash && row.targetCurrency ? (explorerUrl(row.targetCurrency, row.txHash) ?? null) : null;
    case 'amountDisplay':
      return ({ sourceAmount, sourceCurrency }) =>
        sourceAmount && sourceCurrency
          ? `${trimDecimal(sourceAmount)} ${currencyOf(sourceCurrency)?.displayName ?? sourceCurrency}`
          : null;
    default:
      return (row) => row[fact];
  }
}

function mapText(text: string | null, change: (text: string) => string): string | null {
  return text === null ? null : change(text);
}
