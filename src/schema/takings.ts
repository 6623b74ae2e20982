/** Takings by day and period: `Query.takings`. */
import { inProse } from '../resolvers/checks/lengths.ts';
import {
  readAccountTakings,
  TAKINGS_DAYS,
  type Takings,
  type TakingsDay,
  type TakingsPeriod,
} from '../resolvers/transactions/read-takings.ts';
import { TAKINGS_MAX } from '../store/engine/takings.ts';
import type { Builder } from './builder.ts';

const DAYS = { field: 1, multiplier: 2 * TAKINGS_DAYS };

/** Defines `Takings`, its days and periods, and `Query.takings`. */
export function defineTakings(builder: Builder): void {
  const takings = defineTakingsType(builder, defineDay(builder), definePeriod(builder));
  builder.queryField('takings', (t) =>
    t.field({
      type: takings,
      nullable: true,
      complexity: { field: 100, multiplier: 1 },
      description: `Payments by PIX that succeeded, at least in part, in BRL, by the Brasília day on which they were paid: the last ${TAKINGS_DAYS} days with today, and the ${TAKINGS_DAYS} days before. Amounts are gross: partial refunds are not subtracted, and payments that were refunded whole are not counted. Null if the account created more than ${inProse(TAKINGS_MAX)} transactions in that time.`,
      resolve: (_root, _args, context) => readAccountTakings(context),
    }),
  );
}

function defineTakingsType(
  builder: Builder,
  day: ReturnType<typeof defineDay>,
  period: ReturnType<typeof definePeriod>,
) {
  return builder.objectRef<Takings>('Takings').implement({
    description: 'Payments by PIX that succeeded, by day and period.',
    fields: (t) => ({
      days: t.field({
        type: [day],
        complexity: DAYS,
        description: `By day, oldest first, at most ${2 * TAKINGS_DAYS}; the last one is today.`,
        resolve: ({ days }) => [...days],
      }),
      today: t.field({
        type: period,
        description: 'Today so far, and yesterday.',
        resolve: (row) => row.today,
      }),
      week: t.field({
        type: period,
        description: 'The 7 days that end today, and the 7 days before.',
        resolve: (row) => row.week,
      }),
      month: t.field({
        type: period,
        description: `The ${TAKINGS_DAYS} days that end today, and the ${TAKINGS_DAYS} days before.`,
        resolve: (row) => row.month,
      }),
      calendarMonth: t.field({
        type: period,
        description:
          'The calendar month so far, and the previous month up to the same day; all of its days if it is shorter.',
        resolve: (row) => row.calendarMonth,
      }),
      medianMs: t.exposeInt('medianMs', {
        nullable: true,
        description: `Median time from payment to the end of the transaction in the last ${TAKINGS_DAYS} days, in ms; null without a payment whose time is known.`,
      }),
      p95Ms: t.exposeInt('p95Ms', {
        nullable: true,
        description: '95th percentile of that time, in ms.',
      }),
    }),
  });
}

function defineDay(builder: Builder) {
  return builder.objectRef<TakingsDay>('TakingsDay').implement({
    description: 'Payments of one day.',
    fields: (t) => ({
      day: t.expose('day', { type: 'Date', description: 'Day in Brasília.' }),
      amount: t.expose('amount', { type: 'Decimal', description: 'BRL that payers paid.' }),
      payments: t.exposeInt('payments', { description: 'Number of these payments.' }),
      ended: t.exposeInt('ended', {
        description: 'Number of transactions of the day that have ended, whether they were paid or not.',
      }),
    }),
  });
}

function definePeriod(builder: Builder) {
  return builder.objectRef<TakingsPeriod>('TakingsPeriod').implement({
    description: 'Payments of the days that end today, and of the days before with which they are compared.',
    fields: (t) => ({
      amount: t.expose('amount', { type: 'Decimal', description: 'BRL that payers paid.' }),
      amountBefore: t.expose('amountBefore', {
        type: 'Decimal',
        description: 'Amount of the days before.',
      }),
      payments: t.exposeInt('payments', { description: 'Number of these payments.' }),
      paymentsBefore: t.exposeInt('paymentsBefore', {
        description: 'Number of payments of the days before.',
      }),
      ended: t.exposeInt('ended', {
        description:
          'Number of transactions of the period that have ended, whether they were paid or not: `payments` of them succeeded.',
      }),
    }),
  });
}
