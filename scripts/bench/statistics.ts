/** Median and quartiles of a series. */
export interface Spread {
  readonly median: number
  readonly lowerQuartile: number
  readonly upperQuartile: number
}

/**
 * Median and quartiles, linearly interpolated.
 *
 * @throws RangeError for an empty series.
 */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('There is nothing to take a median of.')
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number) => {
    const position = share * (sorted.length - 1)
    const below = sorted[Math.floor(position)] ?? Number.NaN
    const above = sorted[Math.ceil(position)] ?? Number.NaN
    return below + (above - below) * (position - Math.floor(position))
  }
  return { median: at(0.5), lowerQuartile: at(0.25), upperQuartile: at(0.75) }
}

/** Formats a number with at most three significant digits and no unneeded decimals. */
export function roundForReading(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const magnitude = Math.abs(value)
  if (magnitude >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}
