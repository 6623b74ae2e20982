/**
 * Fails on errors of the program itself; errors that a caller can cause are a GatewayError instead.
 *
 * @throws {Error} when the condition does not hold.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** @returns a fact that must be known at this point. */
export function known<Value>(value: Value | null | undefined, what: string): Value {
  assert(value !== null && value !== undefined, `${what} is known`);
  return value;
}
