/** A fair pool that opens no connection while the server has no slot for it, and shares the existing ones. */
import { FairPool, type FairPoolConfig } from './fair-pool.ts';

/** Pause of openings after the server had no free slot, while connections exist. Unit: ms. */
const FULL_MS = 1_000;

/** Members of the pool that its types lack. */
const DriverPool = FairPool as unknown as new (config: FairPoolConfig) => FairPool & { _isFull(): boolean };

/** See the file. */
export class FullServerPool extends DriverPool {
  #fullUntilMs = 0;

  override _isFull(): boolean {
    return super._isFull() || (this.totalCount > 0 && performance.now() < this.#fullUntilMs);
  }

  protected override async whenFull(): Promise<void> {
    this.#fullUntilMs = performance.now() + FULL_MS;
  }
}
