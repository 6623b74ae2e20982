/** Reasons of findings of reconciliation, in the language of the reader. The published text is English. */
import { type Label, label } from '../../base/text/label.ts';
import type { Language } from '../../ui/language.ts';
import { fillIn } from '../../ui/translate.ts';

/** Published text of each reason, whose groups fill in the label; several reasons are joined by `; `. */
const REASONS: readonly (readonly [published: RegExp, shown: Label])[] = [
  [
    /^the ledger has it by (?<name>\S+)$/,
    label('Booked by journal {name}', 'Registrado pelo lançamento {name}'),
  ],
  [/^the ledger has it in (?<currency>\S+)$/, label('Booked in {currency}', 'Registrado em {currency}')],
  [/^the ledger has another amount$/, label('Booked with another amount', 'Registrado com outro valor')],
  [
    /^the ledger has no such amount on this day, the day before or the day after$/,
    label(
      'No such amount is booked on this day, the day before or the day after',
      'Nenhum valor igual foi registrado neste dia, na véspera ou no dia seguinte',
    ),
  ],
  [
    /^the rail told that it was dropped, and has it$/,
    label('The rail reported it as dropped, but has it', 'O provedor o informou como descartado, mas o tem'),
  ],
  [/^the rail never told it$/, label('The rail never reported it', 'O provedor nunca o informou')],
  [
    /^nobody booked it: it is no deposit, and no capital of this amount was booked$/,
    label(
      'Not booked: it is no deposit, and no capital of this amount was booked',
      'Não registrado: não é depósito, e nenhum capital deste valor foi registrado',
    ),
  ],
  [
    /^the gateway did not order it, though both addresses are its own$/,
    label(
      'Not ordered by the gateway, though both addresses are its own',
      'Não foi ordenado pelo gateway, embora os dois endereços sejam dele',
    ),
  ],
  [
    /^the gateway did not order it: look who else has the key$/,
    label(
      'Not ordered by the gateway: find out who else has the key',
      'Não foi ordenado pelo gateway: verifique quem mais tem a chave',
    ),
  ],
  [
    /^the rail told it, and it is not settled$/,
    label('Reported by the rail, and not processed yet', 'Informado pelo provedor e ainda não processado'),
  ],
  [
    /^the rail told it, and somebody closed it$/,
    label(
      'Reported by the rail, and closed by a person',
      'Informado pelo provedor e encerrado por uma pessoa',
    ),
  ],
  [
    /^the rail told it, and nothing was booked, or what was stands for another entry$/,
    label(
      'Reported by the rail, but not booked, or booked for another entry',
      'Informado pelo provedor, mas não registrado, ou registrado para outra entrada',
    ),
  ],
  [
    /^it was ordered and told to be done, and the network does not have it$/,
    label(
      'Ordered and reported as done, but the network does not have it',
      'Ordenado e informado como concluído, mas a rede não o tem',
    ),
  ],
  [/^another amount was ordered$/, label('Another amount was ordered', 'Outro valor foi ordenado')],
  [/^(?<currency>\S+) was ordered$/, label('{currency} was ordered', 'Foi ordenado em {currency}')],
  [
    /^it went to (?<to>\S+), and was ordered to (?<ordered>\S+)$/,
    label('It went to {to}, and was ordered to {ordered}', 'Foi para {to}, mas a ordem era para {ordered}'),
  ],
  [
    /^it was told as (?<currency>\S+) to (?<address>\S+)$/,
    label('Reported as {currency} to {address}', 'Informado como {currency} para {address}'),
  ],
  [
    /^(?<amount>\S+) are in flight; the rest is in no entry of a statement that agrees$/,
    label(
      '{amount} are in flight; the rest is in no entry of a statement that agrees',
      '{amount} em trânsito; o resto não está em nenhuma entrada de um extrato que confere',
    ),
  ],
];

/** @returns the reason in the language of the reader; undefined for a text of another version. */
export function findingReason(why: string, language: Language): string | undefined {
  const whole = shown(why, language);
  if (whole !== undefined) return whole;
  const parts = why.split('; ').map((part) => shown(part, language));
  return parts.every((part) => part !== undefined) ? parts.join('; ') : undefined;
}

function shown(text: string, language: Language): string | undefined {
  for (const [published, reason] of REASONS) {
    const found = published.exec(text);
    if (found) return fillIn(reason[language], { ...found.groups });
  }
  return undefined;
}
