/** Administration by merchants in `/v2`: the table of its routes, and the kinds of records that they answer with. */
import { ATTEMPT, DELIVERY, DELIVERY_READS, DELIVERY_WRITES, REDELIVERY } from './delivery-routes.ts';
import { ENDPOINT, ENDPOINT_READS, ENDPOINT_WRITES, SECRET } from './endpoint-routes.ts';
import type { QueryPolicy } from './input.ts';
import { API_KEY, KEY_READS, KEY_WRITES } from './key-routes.ts';
import { LINK_READS, LINK_WRITES, STATIC_LINK } from './link-routes.ts';
import { recordRead, recordWrite } from './record-route.ts';
import { recordSchema } from './record-shape.ts';
import type { Route } from './route.ts';
import { WHITELIST_ENTRY, WHITELIST_GROUP, WHITELIST_READS, WHITELIST_WRITES } from './whitelist-routes.ts';

const READS = [...ENDPOINT_READS, ...DELIVERY_READS, ...KEY_READS, ...WHITELIST_READS, ...LINK_READS];
const WRITES = [...ENDPOINT_WRITES, ...DELIVERY_WRITES, ...KEY_WRITES, ...WHITELIST_WRITES, ...LINK_WRITES];
const SHAPES = [
  ...[ENDPOINT, SECRET, DELIVERY, ATTEMPT, REDELIVERY, API_KEY, WHITELIST_ENTRY, WHITELIST_GROUP],
  STATIC_LINK,
];

/** @returns the routes. */
export function recordRoutes(policy: QueryPolicy): readonly Route[] {
  return [
    ...READS.map((entry) => recordRead(entry, policy)),
    ...WRITES.map((entry) => recordWrite(entry, policy)),
  ];
}

/** @returns the schemas of the records, by name. */
export function recordSchemas(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return Object.fromEntries(SHAPES.map((shape) => [shape.name, recordSchema(shape)]));
}
