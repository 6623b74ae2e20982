/** Events, typed by their names. */
import type { EventBodies } from './generated/rest.ts';

/** Name of an event, `<template>.<component>.<state>`. */
export type EventName = keyof EventBodies;

/** An event of the log. A later gateway may have more names: have a default case. */
export type GatewayEvent<Name extends EventName = EventName> = {
  readonly [Each in Name]: {
    /** Place in the log: `after` of a later call continues behind it. */
    readonly cursor: string;
    readonly name: Each;
    /** Position in the transaction, from 1. */
    readonly sequence: number;
    readonly occurred_at: string;
    /** The transaction as it was then. */
    readonly transaction: EventBodies[Each];
  };
}[Name];

/** A page of the log. */
export interface EventPage {
  readonly events: readonly GatewayEvent[];
  /** Cursor for the next request. */
  readonly next: string;
}
