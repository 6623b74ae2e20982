/**
 * The caller on whose behalf work runs, across asynchronous calls. Each caller has a share of scarce resources
 * (decision 0053). Work for several callers, or work that the gateway starts, runs on behalf of no caller, because it
 * must not wait for the share of the caller who happened to start it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Called whenever a scarce resource is needed, because work can begin before its caller is known. */
type Requester = () => unknown;

const requester = new AsyncLocalStorage<Requester>();
const NO_REQUESTER: Requester = () => undefined;

/** Runs the work on behalf of the caller that `who` returns; undefined for no caller. */
export function onBehalf<Result>(who: Requester, work: () => Result): Result {
  return requester.run(who, work);
}

/** Runs work on behalf of no account. */
export function onNobodysBehalf<Result>(work: () => Result): Result {
  return requester.run(NO_REQUESTER, work);
}

/** @returns the caller of the work; undefined for work of no single account. */
export function behalf(): unknown {
  return requester.getStore()?.();
}
