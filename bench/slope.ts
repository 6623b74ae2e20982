/** Whether something grows with time: a straight line through samples that single ones cannot bend. */
import { median } from './table.ts';

/** A value at a time. */
export interface Sample {
  readonly minutes: number;
  readonly value: number;
}

/** A line, and how far samples are from it. */
export interface Line {
  /** Growth in an hour. */
  readonly perHour: number;
  /** Median distance of a sample from the line. */
  readonly noise: number;
  /** Whether the line grows by less, over all samples, than three times the noise, or by less in an hour than a hundredth of the value. */
  readonly isLevel: boolean;
}

const TIMES_NOISE = 3;
/** What the system counts in pages stands still for minutes: then its noise is next to nothing, and one page more would be growth. */
const LEVEL_SHARE = 0.01;

/**
 * The median of the slopes between all pairs of samples (Theil and Sen): up to a quarter of them may be far off.
 *
 * @param samples - at least two.
 */
export function lineOf(samples: readonly Sample[]): Line {
  const slopes = samples.flatMap((one, at) =>
    samples.slice(at + 1).map((other) => (other.value - one.value) / (other.minutes - one.minutes)),
  );
  const slope = median(slopes);
  const start = median(samples.map(({ minutes, value }) => value - slope * minutes));
  const noise = median(samples.map(({ minutes, value }) => Math.abs(value - start - slope * minutes)));
  const minutes = (samples.at(-1) as Sample).minutes - (samples[0] as Sample).minutes;
  const isLevel = slope * minutes <= TIMES_NOISE * noise || slope * 60 <= LEVEL_SHARE * start;
  return { perHour: slope * 60, noise, isLevel };
}
