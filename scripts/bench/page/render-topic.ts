import type { Told } from '../create-report.ts'
import type { Figure } from '../report.ts'
import { roundForReading } from '../statistics.ts'
import { topics } from './topics.ts'

/** One topic that was measured, and where. */
export interface MeasuredTopic {
  readonly topic: string
  readonly told: readonly Told[]
  /** What it was measured on and by which command, as Markdown. */
  readonly circumstances: string
}

/** The part of the page that belongs to one topic, as Markdown. */
export function renderTopic({ topic, told, circumstances }: MeasuredTopic): string {
  const { title, meaning } = topics[topic] ?? { title: topic, meaning: undefined }
  const lines = [`## ${title}`, '', ...(meaning === undefined ? [] : [meaning, ''])]
  let inTable = false
  const endTable = (): void => {
    if (inTable) lines.push('')
    inTable = false
  }
  for (const it of told) {
    if (it.kind === 'figure') {
      if (!inTable) lines.push('| what | figure | note |', '| :--- | ---: | :--- |')
      lines.push(row(it.figure))
      inTable = true
      continue
    }
    if (it.kind === 'electron') continue
    endTable()
    if (it.kind === 'section') lines.push(`### ${escaped(it.title)}`, '')
    else lines.push(escaped(it.text), '')
  }
  endTable()
  return [...lines, circumstances].join('\n')
}

function row({ comparison, name, value, unit, note }: Figure): string {
  const what = comparison === undefined ? name : `${comparison}: ${name}`
  const figure = `${roundForReading(value)} ${unit}`.trim()
  // Of a comparison it is the ratio that says something; the rest depends on the machine.
  const strong = comparison !== undefined && name === 'ratio' ? `**${figure}**` : figure
  return `| ${escaped(what)} | ${strong} | ${escaped(note ?? '')} |`
}

/** What Markdown would take for markup. */
function escaped(text: string): string {
  return text.replace(/[|<>*_]/gu, '\\$&')
}
