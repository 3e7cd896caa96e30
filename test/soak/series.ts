/** Decides whether a quantity that was sampled over time is flat. */

export interface Sample {
  atSeconds: number;
  value: number;
}

/** How much a quantity may grow in the measured time: the larger of a share of its median and an absolute amount. */
export interface Allowance {
  share: number;
  amount: number;
}

export interface Trend {
  median: number;
  max: number;
  /** Growth over the measured time along the fitted line; negative if the quantity shrinks. */
  growth: number;
  allowed: number;
  isFlat: boolean;
}

export function trendOf(samples: readonly Sample[], { share, amount }: Allowance): Trend {
  const values = samples.map(({ value }) => value);
  const middle = median(values);
  const seconds = (samples.at(-1)?.atSeconds ?? 0) - (samples[0]?.atSeconds ?? 0);
  const growth = slopeOf(samples) * seconds;
  const allowed = Math.max(middle * share, amount);
  return { median: middle, max: Math.max(...values), growth, allowed, isFlat: growth <= allowed };
}

/**
 * The Theil-Sen estimator: the median of the slopes between all pairs of samples, which single peaks do not change.
 */
export function slopeOf(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => (other.value - one.value) / (other.atSeconds - one.atSeconds)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
