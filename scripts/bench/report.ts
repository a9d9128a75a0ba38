import { useDesktop } from '../e2e/electron-environment.ts'
import { type Desktop, prepareDesktop } from '../e2e/runtime/desktop.ts'

/** Two ways of doing the same thing, to compare. */
export interface Comparison {
  readonly name: string
  readonly unit: string
  /** @default 10 */
  readonly pairs?: number
  readonly baseline: Contender
  readonly candidate: Contender
}

/** One of the two ways. */
interface Contender {
  readonly name: string
  /** Does it once and returns its cost, in the comparison's unit. */
  readonly measure: () => Promise<number>
}

/**
 * What a benchmark receives.
 *
 * A benchmark is a module `packages/<name>/bench/<topic>.bench.ts` (or in `scripts/bench/suites/`) that exports
 * `async function bench(report: BenchReport): Promise<void>`. It measures and reports. There are no thresholds.
 * `pnpm bench <topic> …` runs only these topics.
 */
export interface BenchReport {
  /** Whether to run with more iterations (`pnpm bench --long`). */
  readonly isLong: boolean
  /** Starts a section with this heading. */
  section(title: string): void
  /** Reports one figure. */
  figure(name: string, value: number, unit: string, note?: string): void
  /** Measures two ways in pairs, in alternating order, and reports medians, spread and ratio. */
  compare(comparison: Comparison): Promise<void>
  /** Measures one way several times and reports the median and the spread. @returns the median. */
  repeat(name: string, unit: string, times: number, measure: () => Promise<number>): Promise<number>
  /** Adds a note. */
  say(line: string): void
  /** Electron and a display, prepared by the first call and put into the environment for `launchApp`. */
  desktop(): Promise<Desktop>
}

/** What a benchmark module exports. */
export interface BenchModule {
  readonly bench: (report: BenchReport) => Promise<void>
}

/** A report that prints as it runs. */
interface PrintingReport extends BenchReport {
  /** Closes what `desktop()` opened. */
  close(): Promise<void>
}

/** Creates a report. */
export function createReport(isLong: boolean, print: (line: string) => void = console.log): PrintingReport {
  let preparing: Promise<Desktop> | undefined

  const figure = (name: string, value: number, unit: string, note?: string) =>
    print(`  ${name.padEnd(52)} ${inUnit(value, unit)}${note === undefined ? '' : `   ${note}`}`)
  const spread = (name: string, unit: string, { median, lowerQuartile, upperQuartile }: Spread) => {
    const middleHalf = `${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
    figure(name, median, unit, `middle half ${middleHalf}`)
  }

  return {
    isLong,
    figure,
    section: (title) => print(`\n${title}`),
    say: (line) => print(`  ${line}`),
    async compare({ name, unit, pairs = 10, baseline, candidate }) {
      const baselineValues: number[] = []
      const candidateValues: number[] = []
      for (let pair = 0; pair < pairs; pair += 1) {
        // In alternating order, so that drift during the run affects both equally.
        if (pair % 2 === 0) {
          baselineValues.push(await baseline.measure())
          candidateValues.push(await candidate.measure())
        } else {
          candidateValues.push(await candidate.measure())
          baselineValues.push(await baseline.measure())
        }
      }
      const ratios = candidateValues.map((value, index) => value / (baselineValues[index] ?? Number.NaN))
      print(`  ${name} (${pairs} pairs)`)
      spread(`  ${baseline.name}`, unit, spreadOf(baselineValues))
      spread(`  ${candidate.name}`, unit, spreadOf(candidateValues))
      spread('  ratio', '×', spreadOf(ratios))
    },
    async repeat(name, unit, times, measure) {
      const values: number[] = []
      for (let run = 0; run < times; run += 1) values.push(await measure())
      const result = spreadOf(values)
      spread(name, unit, result)
      return result.median
    },
    desktop() {
      preparing ??= prepareDesktop((line) => print(`  ${line}`)).then((desktop) => {
        useDesktop(desktop)
        return desktop
      })
      return preparing
    },
    async close() {
      if (preparing !== undefined) await (await preparing).display.close()
    },
  }
}

function inUnit(value: number, unit: string): string {
  return `${roundForReading(value).padStart(8)} ${unit.padEnd(4)}`
}

/** Median and quartiles of a series. */
interface Spread {
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
function roundForReading(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const magnitude = Math.abs(value)
  if (magnitude >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}
