/** Progress of a shutdown: first unready, then without streams and idle connections. */

/** Flags that the health check and the streams read. */
export class Shutdown {
  isRetired = false;
  isDraining = false;

  /** Whether `/readyz` answers 503. */
  retire(): void {
    this.isRetired = true;
  }

  /** Whether connections are closed after their answer. */
  drain(): void {
    this.isRetired = true;
    this.isDraining = true;
  }
}
