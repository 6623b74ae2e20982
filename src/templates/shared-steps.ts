/** Steps that ramps of both directions have. */
import { label } from '../base/text/label.ts';
import { LATE_EVENT, type Step, step } from './define.ts';

/** Steps of a quote that could not be made, or that the merchant ended. */
export const QUOTE_ENDED_STEPS: readonly Step[] = [
  step(
    ['quote', 'ERROR'],
    'Cancelled',
    label('Quote Error', 'Erro na Cotação'),
    label('A quote could not be generated', 'Não foi possível gerar a cotação'),
    { error: true, ending: 'final', renewable: true },
  ),
  step(
    ['quote', 'CANCELLED'],
    'Cancelled',
    label('Cancelled by Merchant', 'Cancelado pelo Lojista'),
    label('Transaction cancelled by the merchant', 'Transação cancelada pelo lojista'),
    { ending: 'final' },
  ),
];

/** Steps at which the money has arrived. */
export const SUCCESS_STEP: Step = step(
  ['success', 'DONE'],
  'Success',
  label('Success', 'Sucesso'),
  label('Transaction completed successfully', 'Transação concluída com sucesso'),
  { ending: LATE_EVENT },
);
