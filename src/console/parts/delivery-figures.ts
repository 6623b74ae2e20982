/** Health of webhooks: outcomes and response time of a day or a week, with bars of its slices. */
import { barChart } from '../../ui/chart.ts';
import { showPercent } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { nearText } from '../../ui/times.ts';
import type { ScreenContext } from '../context.ts';
import type { DeliveriesOfADayFragment } from '../generated/graphql.ts';
import { timeSpan } from './changes.ts';
import { count } from './lists.ts';

const WORDS = {
  24: { none: 'noDeliveries24', sentence: 'chartDeliveries' },
  168: { none: 'noDeliveries7', sentence: 'chartDeliveries7' },
} as const;

/**
 * @param hours - the time that the report is about.
 * @returns figures and chart; without a delivery, a text that nothing was sent.
 */
export function deliveryFigures(
  context: ScreenContext,
  { total, slices }: DeliveriesOfADayFragment,
  hours: keyof typeof WORDS = 24,
): Html {
  const { translate, language } = context;
  const { delivered, dead, pending, attempts, failedAttempts, successRate, medianMs, p95Ms } = total;
  const words = WORDS[hours];
  if (delivered + dead + pending === 0) return empty('bolt', translate(words.none));
  const shown = (value: number) => count(value, language);
  const p95 = timeSpan(context, p95Ms);
  const figure = (name: string, value: string, below?: string | null) =>
    html`<div><dt>${name}</dt><dd><b class="figure num">${value}</b>${below && html`<small>${below}</small>`}</dd></div>`;
  const failed = translate('attemptsOf', { failed: shown(failedAttempts), attempts: shown(attempts) });
  const figures = [
    figure(translate('successRate'), successRate === null ? '–' : showPercent(successRate, language), failed),
    figure(translate('deliveriesDone'), shown(delivered)),
    figure(translate('deliveriesDead'), shown(dead)),
    figure(translate('deliveriesPending'), shown(pending)),
    figure(
      translate('answerTime'),
      timeSpan(context, medianMs) ?? '–',
      p95 && `${translate('timeToSettleP95')} ${p95}`,
    ),
  ];
  const sentence = translate(words.sentence, {
    delivered: shown(delivered),
    dead: shown(dead),
    failed: shown(failedAttempts),
    attempts: shown(attempts),
  });
  const chart = barChart({
    points: slices.map((each) => ({
      name: nearText(Date.parse(each.since), language, 'minute'),
      value: String(each.delivered),
      failed: String(each.dead + each.pending),
    })),
    sentence,
    words: {
      open: translate('chartTable'),
      name: translate('time'),
      value: translate('deliveriesDone'),
      failed: translate('deliveriesFailed'),
    },
    show: (value) => count(Number(value), language),
  });
  return html`<dl class="sums">${figures}</dl><div class="in">${chart}</div>`;
}
