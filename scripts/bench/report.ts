import type { Desktop } from '../e2e/runtime/desktop.ts'

/** A measured number. */
export interface Figure {
  readonly section: string
  /** The {@link Comparison} it came from, with the number of pairs. */
  readonly comparison?: string
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What a reader needs to know about it. */
  readonly note?: string
}

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
export interface Contender {
  readonly name: string
  /** Does it once and returns its cost, in the comparison's unit. */
  readonly measure: () => Promise<number>
}

/** The result of a {@link Comparison}. */
export interface ComparisonResult {
  readonly baselineMedian: number
  readonly candidateMedian: number
  /** Median of the ratios candidate / baseline of each pair. */
  readonly ratio: number
}

/**
 * What a benchmark receives.
 *
 * A benchmark is a module `packages/<name>/bench/<topic>.bench.ts` (or in `scripts/bench/suites/`) that exports
 * `async function bench(report: BenchReport): Promise<void>`. It measures and reports. There are no thresholds.
 * `pnpm bench <topic> …` runs only these topics. The results are written to the topic's own part of
 * `docs/benchmarks.md`; `page/topics.ts` explains what they mean.
 */
export interface BenchReport {
  /** Whether to run with more iterations (`pnpm bench --long`). */
  readonly isLong: boolean
  /** Starts a section with this heading. */
  section(title: string): void
  /** Reports one figure. */
  figure(name: string, value: number, unit: string, note?: string): void
  /** Measures two ways in pairs, in alternating order, and reports medians, spread and ratio. */
  compare(comparison: Comparison): Promise<ComparisonResult>
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
