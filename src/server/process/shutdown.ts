/** Progress of a shutdown: first unready, then without streams and idle connections. */

/** Flags that the health check and the streams read. */
export class Shutdown {
  isRetired = false;
  isDraining = false;

  /** `/readyz` answers 503 from now on. */
  retire(): void {
    this.isRetired = true;
  }

  /** Connections are closed after their answer from now on. */
  drain(): void {
    this.isRetired = true;
    this.isDraining = true;
  }
}
