import { useDesktop } from '../e2e/electron-environment.ts'
import { type Desktop, prepareDesktop } from '../e2e/runtime/desktop.ts'
import type { BenchReport, Figure } from './report.ts'
import { roundForReading, type Spread, spreadOf } from './statistics.ts'

/** What a benchmark reported, in order. */
export type Told =
  | { readonly kind: 'section'; readonly title: string }
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'figure'; readonly figure: Figure }
  /** Whether this was measured on Electron. */
  | { readonly kind: 'electron'; readonly version: string }

/** A report that prints as it runs and keeps everything. */
export interface KeepingReport extends BenchReport {
  readonly figures: readonly Figure[]
  readonly told: readonly Told[]
  /** Closes what `desktop()` opened. */
  close(): Promise<void>
}

/** Creates an empty report. */
export function createReport(isLong: boolean, print: (line: string) => void = console.log): KeepingReport {
  const figures: Figure[] = []
  const told: Told[] = []
  let currentSection = ''
  let currentComparison: string | undefined
  let preparing: Promise<Desktop> | undefined

  const keep = (name: string, value: number, unit: string, note?: string) => {
    const figure: Figure = {
      section: currentSection,
      ...(currentComparison === undefined ? {} : { comparison: currentComparison }),
      name,
      value,
      unit,
      ...(note === undefined ? {} : { note }),
    }
    figures.push(figure)
    told.push({ kind: 'figure', figure })
  }
  const figure = (name: string, value: number, unit: string, note?: string) => {
    keep(name, value, unit, note)
    const indented = currentComparison === undefined ? name : `  ${name}`
    print(`  ${indented.padEnd(52)} ${inUnit(value, unit)}${note === undefined ? '' : `   ${note}`}`)
  }
  const spread = (name: string, unit: string, { median, lowerQuartile, upperQuartile }: Spread) => {
    const middleHalf = `${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
    figure(name, median, unit, `middle half ${middleHalf}`)
  }

  return {
    isLong,
    figures,
    told,
    figure,
    section(title) {
      currentSection = title
      told.push({ kind: 'section', title })
      print(`\n${title}`)
    },
    say(line) {
      told.push({ kind: 'line', text: line })
      print(`  ${line}`)
    },
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
      const baselineSpread = spreadOf(baselineValues)
      const candidateSpread = spreadOf(candidateValues)
      const ratioSpread = spreadOf(ratios)
      print(`  ${name} (${pairs} pairs)`)
      currentComparison = `${name}, ${pairs} pairs`
      spread(baseline.name, unit, baselineSpread)
      spread(candidate.name, unit, candidateSpread)
      spread('ratio', '×', ratioSpread)
      currentComparison = undefined
      return {
        baselineMedian: baselineSpread.median,
        candidateMedian: candidateSpread.median,
        ratio: ratioSpread.median,
      }
    },
    async repeat(name, unit, times, measure) {
      const values: number[] = []
      for (let run = 0; run < times; run += 1) values.push(await measure())
      const result = spreadOf(values)
      spread(name, unit, result)
      return result.median
    },
    async desktop() {
      preparing ??= prepareDesktop((line) => print(`  ${line}`)).then((desktop) => {
        useDesktop(desktop)
        return desktop
      })
      const desktop = await preparing
      told.push({ kind: 'electron', version: desktop.runtime.version })
      return desktop
    },
    async close() {
      if (preparing !== undefined) await (await preparing).display.close()
    },
  }
}

function inUnit(value: number, unit: string): string {
  return `${roundForReading(value).padStart(8)} ${unit.padEnd(4)}`
}
