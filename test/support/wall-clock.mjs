/**
 * Shifts the wall clock of one process, for `--import`: by `WALL_CLOCK_MS`; each SIGUSR2 sets the next shift of the list
 * `WALL_CLOCK_JUMPS_MS`, the last of which stays. The monotonic clock and timers are left alone.
 */
const RealDate = Date;
const jumps = (process.env.WALL_CLOCK_JUMPS_MS ?? '').split(',').filter(Boolean).map(Number);
let aheadMs = Number(process.env.WALL_CLOCK_MS ?? 0);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};
if (jumps.length > 0)
  process.on('SIGUSR2', () => {
    aheadMs = jumps.shift() ?? aheadMs;
  });
