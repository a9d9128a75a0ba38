import type { Desktop } from '../e2e/runtime/desktop.ts'

/** A number that was measured. */
export interface Figure {
  readonly section: string
  /** The {@link Comparison} it came from, with the number of pairs. */
  readonly comparison?: string
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What has to be known to read it. */
  readonly note?: string
}

/** Two ways of doing one thing, to be measured beside each other. */
export interface Comparison {
  readonly name: string
  readonly unit: string
  /** @default 10 */
  readonly pairs?: number
  readonly baseline: Contender
  readonly candidate: Contender
}

/** One of the two ways. */
export interface Contender {
  readonly name: string
  /** Does it once and returns what it cost, in the comparison's unit. */
  readonly measure: () => Promise<number>
}

/** What came out of a {@link Comparison}. */
export interface ComparisonResult {
  readonly baselineMedian: number
  readonly candidateMedian: number
  /** Median of the ratios candidate / baseline of each pair. */
  readonly ratio: number
}

/**
 * What a benchmark gets.
 *
 * A benchmark is a module `packages/<name>/bench/<topic>.bench.ts` (or in `scripts/bench/suites/`) that exports
 * `async function bench(report: BenchReport): Promise<void>`. It measures, tells the report, and judges nothing:
 * there are no thresholds. `pnpm bench <topic> …` runs only the topics named. What was told lands in
 * `docs/benchmarks.md`, in the topic's own part; what it means is said in `page/topics.ts`.
 */
export interface BenchReport {
  /** Whether to run with more iterations (`pnpm bench --long`). */
  readonly isLong: boolean
  /** A headline for the figures that follow. */
  section(title: string): void
  /** Tells one figure. */
  figure(name: string, value: number, unit: string, note?: string): void
  /** Measures two ways in pairs, the order within a pair alternating, and tells medians, spread and ratio. */
  compare(comparison: Comparison): Promise<ComparisonResult>
  /** Measures one way several times and tells the median and the spread. @returns the median. */
  repeat(name: string, unit: string, times: number, measure: () => Promise<number>): Promise<number>
  /** Says something that is no figure. */
  say(line: string): void
  /** Electron and a display, prepared at the first call and put into the environment for `launchApp`. */
  desktop(): Promise<Desktop>
}

/** What a benchmark module exports. */
export interface BenchModule {
  readonly bench: (report: BenchReport) => Promise<void>
}
