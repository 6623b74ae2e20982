/**
 * Stops where the program itself is wrong; what a caller can cause is a GatewayError instead.
 *
 * @throws {Error} when the condition does not hold.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
