/** A fair pool that opens no connection while the server has no slot for it, and shares the existing ones. */
import { FairPool, type FairPoolConfig } from './fair-pool.ts';

/** Pause of opening connections after the server had no free slot, if other connections exist. Unit: ms. */
const FULL_MS = 1_000;

/** Members of the pool that its types lack. */
const DriverPool = FairPool as unknown as new (config: FairPoolConfig) => FairPool & { _isFull(): boolean };

/** A `FairPool` that counts as full for a moment after the server refused a connection. */
export class FullServerPool extends DriverPool {
  #fullUntilMs = 0;

  override _isFull(): boolean {
    return super._isFull() || (this.totalCount > 0 && performance.now() < this.#fullUntilMs);
  }

  protected override async whenFull(): Promise<void> {
    this.#fullUntilMs = performance.now() + FULL_MS;
  }
}
