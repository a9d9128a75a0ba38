import { type Desktop, prepareDesktop } from '../desktop.ts'
import { useDesktop } from '../e2e/electron-environment.ts'
import type { BenchReport, Figure } from './report.ts'
import { roundForReading, type Spread, spreadOf } from './statistics.ts'

/** A report that prints as it goes and keeps every figure. */
export interface KeepingReport extends BenchReport {
  readonly figures: readonly Figure[]
  /** Ends what `desktop()` started. */
  close(): Promise<void>
}

/** Makes an empty report. */
export function createReport(isLong: boolean, print: (line: string) => void = console.log): KeepingReport {
  const figures: Figure[] = []
  let currentSection = ''
  let preparing: Promise<Desktop> | undefined

  const keep = (name: string, value: number, unit: string, note?: string) => {
    figures.push({ section: currentSection, name, value, unit, ...(note === undefined ? {} : { note }) })
  }
  const figure = (name: string, value: number, unit: string, note?: string) => {
    keep(name, value, unit, note)
    print(`  ${name.padEnd(52)} ${inUnit(value, unit)}${note === undefined ? '' : `   ${note}`}`)
  }
  const spread = (name: string, unit: string, { median, lowerQuartile, upperQuartile }: Spread) => {
    const middleHalf = `${roundForReading(lowerQuartile)} to ${roundForReading(upperQuartile)}`
    figure(name, median, unit, `middle half ${middleHalf}`)
  }

  return {
    isLong,
    figures,
    figure,
    section(title) {
      currentSection = title
      print(`\n${title}`)
    },
    say(line) {
      print(`  ${line}`)
    },
    async compare({ name, unit, pairs = 10, baseline, candidate }) {
      const baselineValues: number[] = []
      const candidateValues: number[] = []
      for (let pair = 0; pair < pairs; pair += 1) {
        // Alternating, so that what drifts during the run hits both alike.
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
      spread(`  ${baseline.name}`, unit, baselineSpread)
      spread(`  ${candidate.name}`, unit, candidateSpread)
      spread('  ratio', '×', ratioSpread)
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
