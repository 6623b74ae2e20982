/** Health of webhooks: of all endpoints together, and of each. */

import { inProse } from '../resolvers/checks/lengths.ts';
import {
  type DeliveryFigures,
  type DeliveryReport,
  type DeliverySlice,
  ENDPOINTS_REPORTED,
  type EndpointFigures,
  REPORT_HOURS_MAX,
  reportDeliveries,
} from '../resolvers/webhooks/read-delivery-report.ts';
import { REPORT_DELIVERIES_MAX, SLICES } from '../store/webhooks/delivery-report.ts';
import type { Builder } from './builder.ts';
import type { EndpointRef } from './webhook.ts';

const HOURS_ARGUMENT = {
  defaultValue: 24,
  description: `Number of past hours, including the current one: 1 to ${REPORT_HOURS_MAX}.`,
} as const;

/** Defines `DeliveryReport` with its figures, `Query.deliveryReport` and `WebhookEndpoint.health`. */
export function defineDeliveryReport(builder: Builder, endpointRef: EndpointRef): void {
  const figures = defineFigures(builder);
  const endpoint = builder.objectRef<EndpointFigures>('EndpointFigures').implement({
    description: 'Figures of the deliveries to one endpoint.',
    interfaces: [figures],
    fields: (t) => ({
      endpointId: t.exposeString('endpointId', { description: 'Identifier of the endpoint.' }),
    }),
  });
  const slice = builder.objectRef<DeliverySlice>('DeliverySlice').implement({
    description: 'Figures of the deliveries that were created in one slice of the period.',
    interfaces: [figures],
    fields: (t) => ({
      since: t.expose('since', { type: 'DateTime', description: 'Start of the slice.' }),
    }),
  });
  const total = builder.objectRef<DeliveryFigures>('TotalFigures').implement({
    description: 'Figures of the deliveries to all endpoints.',
    interfaces: [figures],
  });
  const report = builder.objectRef<DeliveryReport>('DeliveryReport').implement({
    description: 'Outcomes and times of the deliveries of an account.',
    fields: (t) => ({
      total: t.field({ type: total, description: 'Figures of all deliveries.', resolve: (row) => row.total }),
      endpoints: t.field({
        type: [endpoint],
        complexity: { field: 1, multiplier: 20 },
        description: `Figures of each endpoint with a delivery in the period, most deliveries first; at most ${ENDPOINTS_REPORTED}.`,
        resolve: (row) => [...row.endpoints],
      }),
      slices: t.field({
        type: [slice],
        complexity: { field: 1, multiplier: SLICES },
        description: `Figures of equal slices of the period, oldest first; at most ${SLICES}.`,
        resolve: (row) => [...row.slices],
      }),
    }),
  });
  builder.queryField('deliveryReport', (t) =>
    t.field({
      type: report,
      complexity: { field: 100, multiplier: 1 },
      description: `Outcomes and times of webhook deliveries that were created in the last hours, of the newest ${inProse(REPORT_DELIVERIES_MAX)} deliveries at most, without tests. Needs the scope \`admin\`.`,
      args: {
        hours: t.arg.int(HOURS_ARGUMENT),
      },
      resolve: (_root, { hours }, context) => reportDeliveries(context, hours ?? 24),
    }),
  );
  builder.prismaObjectField(endpointRef, 'health', (t) =>
    t.field({
      type: report,
      complexity: { field: 100, multiplier: 1 },
      description: `Outcomes and times of its deliveries that were created in the last hours, of its newest ${inProse(REPORT_DELIVERIES_MAX)} at most, without tests. Needs the scope \`admin\`.`,
      args: { hours: t.arg.int(HOURS_ARGUMENT) },
      resolve: ({ id }, { hours }, context) => reportDeliveries(context, hours ?? 24, id),
    }),
  );
}

function defineFigures(builder: Builder) {
  return builder.interfaceRef<DeliveryFigures>('DeliveryFigures').implement({
    description: 'Outcomes of deliveries, and times of their attempts.',
    fields: (t) => ({
      delivered: t.exposeInt('delivered', { description: 'Deliveries that the receiver accepted.' }),
      dead: t.exposeInt('dead', { description: 'Deliveries that were given up.' }),
      pending: t.exposeInt('pending', { description: 'Deliveries that wait for their next attempt.' }),
      attempts: t.exposeInt('attempts', { description: 'Attempts to deliver them.' }),
      failedAttempts: t.exposeInt('failedAttempts', {
        description: 'Attempts without an answer from 200 to 299.',
      }),
      successRate: t.expose('successRate', {
        type: 'Decimal',
        nullable: true,
        description:
          'Share of the attempts that were accepted, from 0 to 1, cut off after four decimals; null without an attempt.',
      }),
      medianMs: t.exposeInt('medianMs', {
        nullable: true,
        description: 'Median time of the attempts that were accepted, in ms; null where there is none.',
      }),
      p95Ms: t.exposeInt('p95Ms', {
        nullable: true,
        description: '95th percentile of that time, in ms.',
      }),
    }),
  });
}
