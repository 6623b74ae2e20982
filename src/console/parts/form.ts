/** Forms of the console: their hidden fields, visible fields, and confirmations. */
import { area, choice, field as framed } from '../../ui/field.ts';
import { attributes, type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { ACCOUNT_FIELD, actionPath, SHOWN_PREFIX } from '../action.ts';
import { formKey, mayDo, type ScreenContext, type Sent, sameWith } from '../context.ts';
import { type Operation, operationNamed } from '../operations.ts';

/** Values of a form in addition to its fields; a list in its order. */
export type PresetValues = Readonly<Record<string, string | readonly string[]>>;

/** A form of an action. */
export interface ActionForm {
  /** Name of the mutation's document. */
  readonly action: string;
  /** Values in addition to the fields. */
  readonly preset?: PresetValues;
  /** Label of its button; or its buttons, if there are several. */
  readonly button: string | Html;
  readonly kind?: string;
  readonly fields?: Html | null;
  /** Whether the server has listed the action as possible for this session, so that its scope is not checked again. */
  readonly isPossible?: boolean;
  /** Whether one of its fields is a file. */
  readonly hasFile?: boolean;
}

/** @returns the form of an action; null if the session may not perform it. */
export function actionForm(
  context: ScreenContext,
  { action, preset = {}, button, kind = '', fields, isPossible = false, hasFile = false }: ActionForm,
): Html | null {
  const operation = operationNamed(action);
  if (!isPossible && !mayDo(context, operation.field)) return null;
  return html`<form method="post" action="${actionPath(operation)}" class="stack tight"${attributes({ enctype: hasFile && 'multipart/form-data' })}>${hidden(context, operation, preset)}${fields}${typeof button === 'string' ? html`<p><button class="${kind}">${button}</button></p>` : button}</form>`;
}

/** @returns an action behind a button, with its description above the final button. */
export function disclosedForm(
  context: ScreenContext,
  form: ActionForm & { readonly open: string; readonly what: string },
): Html | null {
  const inner = actionForm(context, form);
  if (inner === null) return null;
  const isOpen = context.refused?.action === form.action && isSame(context, form);
  return html`<details class="ask"${isOpen && html` open`}><summary class="btn ${form.kind}">${form.open}</summary><div class="card in stack tight"><p class="small">${form.what}</p>${inner}</div></details>`;
}

/** Whether the rejected form is this one, and not the same action on another record. */
function isSame(
  { refused }: Pick<ScreenContext, 'refused'>,
  { preset = {} }: Pick<ActionForm, 'preset'>,
): boolean {
  return Object.entries(preset).every(([name, value]) => {
    const sent = refused?.values.getAll(name) ?? [];
    return [value].flat().every((each, at) => sent[at] === each);
  });
}

/** @returns the hidden fields of an action's form. */
export function hidden(context: ScreenContext, { variables }: Operation, preset: PresetValues): Html[] {
  const isOnce = variables.some(({ name }) => name === 'idempotencyKey');
  const values = {
    csrf: context.session.csrf,
    [ACCOUNT_FIELD]: context.session.accountId,
    back: sameWith(context, { done: null }),
    ...(isOnce && { idempotencyKey: formKey() }),
    ...preset,
  };
  return Object.entries<string | readonly string[]>(values).flatMap(([name, value]) =>
    [value].flat().map((each) => html`<input type="hidden" name="${name}" value="${each}">`),
  );
}

/** A field of a form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | null;
  readonly value?: string | null;
  /** Current value, or empty: it fills the field, and is sent only if it was changed. */
  readonly holds?: string;
  /** Value that applies if the field is empty. */
  readonly placeholder?: string;
  readonly type?: 'text' | 'date' | 'datetime-local' | 'url' | 'file' | 'lines';
  readonly inputmode?: 'decimal' | 'text';
  readonly isRequired?: boolean;
  /** Media types of a file. */
  readonly accept?: string;
  readonly options?: readonly (readonly [value: string, word: string])[];
}

/** @returns a field: label above, hint and error below. `act` and `given` distinguish several forms of a page. */
export function field(context: Sent, action: string, each: Field, preset: PresetValues = {}): Html {
  const { name, holds } = each;
  // After a refusal, the value that the person first saw, because another person may have changed it meanwhile.
  const seen = sentBack(context, action, preset)?.values.get(`${SHOWN_PREFIX}${name}`) ?? holds;
  const shown =
    holds !== undefined && html`<input type="hidden" name="${SHOWN_PREFIX}${name}" value="${seen}">`;
  return html`${input(context, action, each, preset)}${shown}`;
}

function refusedForm(context: Sent, action: string, preset: PresetValues) {
  return context.refused?.action === action && isSame(context, { preset }) ? context.refused : null;
}

/** @returns the form as it was sent, if the page shows it again. */
function sentBack(context: Sent, action: string, preset: PresetValues) {
  const refused = refusedForm(context, action, preset);
  return refused ?? (context.preview?.action === action ? context.preview : context.pending);
}

function input(context: Sent, action: string, each: Field, preset: PresetValues): Html {
  const { name, label, options } = each;
  const refused = refusedForm(context, action, preset);
  const sent = sentBack(context, action, preset);
  const wrong = refused?.violations.find(({ parameter }) => nameOf(parameter) === name)?.message;
  // For a list, the field holds the entry to add.
  const value = sent?.values.getAll(name).at(-1) ?? each.holds ?? each.value ?? '';
  // The frame uses its name also as id of the input: several forms of a page have fields of one name.
  const id = [action, ...Object.values(preset), name].join('-');
  const frame = { name: id, label, hint: each.hint, wrong, value };
  // The first field with an error has the focus: the form may be far below the note about it.
  const [first] = refused?.violations ?? [];
  const own = {
    name,
    required: each.isRequired,
    autofocus: first !== undefined && nameOf(first.parameter) === name,
  };
  if (options) return choice({ ...frame, options, attributes: own });
  const { type = 'text', inputmode } = each;
  if (type === 'lines') return area({ ...frame, attributes: own });
  if (type === 'file')
    return framed({ ...frame, value: '', attributes: { ...own, type, accept: each.accept } });
  const { placeholder } = each;
  const traits = { ...own, type, inputmode, placeholder, autocomplete: 'off', maxlength: 500 };
  return framed({ ...frame, attributes: traits });
}

/** @returns the field for the reason of a decision. */
export function reasonField(context: ScreenContext, action: string, preset?: PresetValues): Html {
  const label = context.translate('decisionReason');
  return field(context, action, { name: 'reason', label, isRequired: true }, preset);
}

/** @returns the last name of a parameter's path; a number is a position in the list of that name. */
function nameOf(parameter: string): string | undefined {
  return parameter
    .replace(/\.\d+$/, '')
    .split('.')
    .at(-1);
}

/** @returns a form behind its name, for adding to a list; open if it was rejected. */
export function addForm(context: ScreenContext, form: ActionForm & { readonly open: string }): Html | null {
  const inner = actionForm(context, form);
  if (inner === null) return null;
  const isOpen =
    context.preview?.action === form.action ||
    (context.refused?.action === form.action && isSame(context, form));
  return html`<details class="in line add"${isOpen && html` open`}><summary>${icon('plus')} ${form.open}</summary><div class="form">${inner}</div></details>`;
}

/** @returns a form that changes the query of the screen's address. */
export function queryForm(
  context: ScreenContext,
  fields: Html,
  button: string,
  dropped: readonly string[],
): Html {
  const remaining = [...context.query].filter(([name]) => !dropped.includes(name));
  return html`<form method="get" class="stack tight in">${remaining.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}${fields}<p><button class="primary">${button}</button></p></form>`;
}
