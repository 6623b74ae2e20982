/** Pausing and resuming what is sent on a network or by PIX. */
import { NETWORKS } from '../../base/money/currency.ts';
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import { addForm, disclosedForm, field, reasonField } from './form.ts';

/** Name of payouts and returns by PIX among the networks. */
const PIX = 'PIX';

/** @returns the form that resumes a network; null for a session that may not. */
export function resumeForm(context: ScreenContext, network: string): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'ResumeNetwork',
    preset: { network },
    open: translate('resumeNetwork'),
    what: translate('resumeNetworkWhat'),
    button: translate('resumeNetworkYes'),
  });
}

/** @returns the form that pauses a network; null for a session that may not. */
export function pauseForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'PauseNetwork';
  const options = [PIX, ...Object.keys(NETWORKS)].map((each) => [each, each] as const);
  return addForm(context, {
    action,
    open: translate('pauseNetwork'),
    button: translate('pauseNetworkYes'),
    kind: 'danger',
    fields: html`<p class="small">${translate('pauseNetworkWhat')}</p>${field(context, action, { name: 'network', label: translate('network'), options })}${reasonField(context, action)}`,
  });
}
