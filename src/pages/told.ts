/** What the page of a session says happened: finds the telling of a step and fills in amounts and names. */
import { BRL, networkTitle } from '../base/currency.ts';
import type { Label } from '../base/label.ts';
import type { PayerFacts } from '../resolvers/payer/payer-facts.ts';
import type { PaymentSession } from '../resolvers/payer/payment-session.ts';
import type { Step, Template } from '../templates/define.ts';
import { showAmount } from '../ui/figures.ts';
import type { Language } from '../ui/language.ts';
import { fillIn } from '../ui/say.ts';
import { PAY_IN } from './tellings/pay-in.ts';
import { PAY_OUT } from './tellings/pay-out.ts';
import { REASONS, RETURNS } from './tellings/returns.ts';
import type { Flow, Telling } from './tellings/telling.ts';

/** What is said of where a transaction stands. */
export interface Told extends Pick<Telling, 'tone' | 'sign'> {
  readonly title: string;
  readonly why: string | null;
  readonly isQuiet: boolean;
}

/** What is needed to say it. */
export interface Teller {
  readonly session: Pick<PaymentSession, 'row' | 'step' | 'template' | 'branding'>;
  readonly facts: PayerFacts;
  readonly language: Language;
}

const TELLINGS = { ...PAY_IN, ...PAY_OUT, ...RETURNS };
const VERSION = /_v\d+$/;

/** @returns what is said of a step; undefined where nobody has found words for it, which a test does not let pass. */
export function tellingOf(
  { component, state }: Pick<Step, 'component' | 'state'>,
  flow: Flow,
): Telling | undefined {
  const name = stepName({ component, state });
  return TELLINGS[`${name}:${flow}`] ?? TELLINGS[name];
}

/** @returns where the money of a transaction goes. */
export function flowOf({ target, wallet }: Pick<PayerFacts, 'target' | 'wallet'>): Flow {
  if (target === BRL) return 'payee';
  return wallet === null ? 'shop' : 'wallet';
}

/** @returns what is said of where a transaction stands. */
export function toldOf(teller: Teller): Told {
  const { session, facts, language } = teller;
  const { step, row } = session;
  const flow = flowOf(facts);
  const end = step.status.en === 'Success' ? excessKey(facts) : undefined;
  const telling = (end === undefined ? undefined : TELLINGS[end]) ?? tellingOf(step, flow) ?? plainly(step);
  const values = valuesOf(teller);
  const { ptOne } = telling;
  const title = language === 'pt' && ptOne && isOne(ptOne, facts) ? ptOne : telling.title[language];
  const why = telling.why ?? (row.errorEn === '' ? undefined : reasonOf(session));
  return {
    tone: telling.tone,
    sign: telling.sign,
    title: fillIn(title, values),
    why: why ? fillIn(why[language], values) : null,
    isQuiet: telling.isQuiet === true,
  };
}

/** A step that has no words of its own is told by its message; better than nothing. */
function plainly({ message }: Step): Telling {
  return { tone: 'idle', sign: 'clock', title: message };
}

/** Why money goes back: by the step that decided it, else as it was published (C-31). */
function reasonOf({ row, template }: Teller['session']): Label {
  const decided = deciderOf(template, row.errorEn);
  return (decided && REASONS[stepName(decided)]) ?? { en: row.errorEn, pt: row.errorPt };
}

function deciderOf({ steps }: Template, errorEn: string): Step | undefined {
  return steps.find(({ errorMessage }) => errorMessage.en === errorEn);
}

function stepName({ component, state }: Pick<Step, 'component' | 'state'>): string {
  return `${component.replace(VERSION, '')}/${state}`;
}

/** What was paid beyond the price is on its way back, or was sent. */
function excessKey({ excess, returns }: PayerFacts): string | undefined {
  const back = returns.find(({ kind }) => kind === 'excess');
  if (excess === null && !back) return undefined;
  return back?.isDone ? 'success/DONE+returned' : 'success/DONE+excess';
}

function isOne(text: string, facts: PayerFacts): boolean {
  const [, name] = /\{(back|excess|received)\}/.exec(text) ?? [];
  const amount = name === 'back' ? backOf(facts) : name === 'excess' ? facts.excess : facts.amountReceived;
  return amount?.startsWith('1.') === true || amount === '1';
}

/** @returns what goes or went back to the payer; all that was paid where nothing else is known. */
export function backOf({ returns, amountReturned, amountPaid, amountPayment }: PayerFacts): string | null {
  return returns.length > 0 ? amountReturned : (amountPaid ?? amountPayment);
}

function valuesOf({ session, facts, language }: Teller): Record<string, string> {
  const { source, target } = facts;
  const amount = (text: string | null, currency = BRL) =>
    text === null ? label(language) : showAmount(text, currency, language);
  const taxId = session.row.clientTaxId ?? '';
  return {
    merchant: session.branding.displayName,
    paid: amount(facts.amountPaid ?? facts.amountPayment, source),
    price: amount(facts.amountPayment, source),
    back: amount(backOf(facts), source),
    excess: amount(facts.excess),
    received: amount(facts.amountReceived, target),
    name: facts.clientName ?? (language === 'pt' ? 'o recebedor' : 'the payee'),
    document: taxId.length > 11 ? 'CNPJ' : 'CPF',
    asset: source.asset,
    network: networkTitle(source),
  };
}

/** Stands for an amount that is not known. */
function label(language: Language): string {
  return language === 'pt' ? 'o valor' : 'the amount';
}
