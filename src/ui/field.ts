/** Form fields: a label above, a hint or an error below, both announced by screen readers. */
import { type Attributes, attributes, type Html, type HtmlValue, html } from './html.ts';
import { icon } from './icons.ts';

/** Parts around an input. */
export interface FieldFrame {
  /** Name of the input, and its id. */
  readonly name: string;
  readonly label: HtmlValue;
  readonly hint?: HtmlValue;
  /** The error and its correction; empty when the value is right. */
  readonly wrong?: HtmlValue;
}

/** An input of one line. Further attributes, such as `inputmode`, unchanged. */
export interface Field extends FieldFrame {
  readonly value?: string | undefined;
  readonly attributes?: Attributes;
}

/** A choice of one among several. */
export interface Choice extends FieldFrame {
  readonly value?: string | undefined;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly attributes?: Attributes;
}

/** @returns an input with its label. */
export function field({ value, attributes: further, ...frame }: Field): Html {
  const { name } = frame;
  return framed(
    frame,
    html`<input${attributes({ id: name, name, value: value ?? '', ...described(frame), ...further })}>`,
  );
}

/** @returns an input of several lines with its label. */
export function area({ value, attributes: further, ...frame }: Field): Html {
  const { name } = frame;
  return framed(
    frame,
    html`<textarea${attributes({ id: name, name, rows: 6, ...described(frame), ...further })}>${value ?? ''}</textarea>`,
  );
}

/** @returns a select with its label. */
export function choice({ value, options, attributes: further, ...frame }: Choice): Html {
  const { name } = frame;
  return framed(
    frame,
    html`<select${attributes({ id: name, name, ...described(frame), ...further })}>
${options.map(([each, word]) => html`<option${attributes({ value: each, selected: each === value })}>${word}</option>`)}
</select>`,
  );
}

/** @returns a checkbox, with its text next to it. */
export function tick({ attributes: further, ...frame }: Omit<Field, 'value'>): Html {
  const { name, label } = frame;
  const box = html`<input${attributes({ type: 'checkbox', id: name, name, value: 'yes', ...described(frame), ...further })}>`;
  return html`<div class="field"><label class="tick">${box}<span>${label}</span></label>${below(frame)}</div>`;
}

/** @returns a sentence in the error colour, with its sign. */
export function wrongLine(text: HtmlValue, id?: string): Html {
  return html`<p class="wrong"${attributes({ id })}>${icon('failed')}<span>${text}</span></p>`;
}

function framed(frame: FieldFrame, input: Html): Html {
  return html`<div class="field"><label for="${frame.name}">${frame.label}</label>
${input}${below(frame)}</div>`;
}

function below({ name, hint, wrong }: FieldFrame): HtmlValue {
  return wrong ? wrongLine(wrong, `${name}-wrong`) : hint && html`<small id="${name}-hint">${hint}</small>`;
}

function described({ name, hint, wrong }: FieldFrame): Attributes {
  if (wrong) return { 'aria-invalid': 'true', 'aria-describedby': `${name}-wrong` };
  return hint ? { 'aria-describedby': `${name}-hint` } : {};
}
