/** A fair pool that opens no connection while the server has no slot for it: those that there are do. */
import { FairPool, type FairPoolConfig } from './fair-pool.ts';

/** After the server had no slot for another connection, none is opened for so long while there are some. Unit: ms. */
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
