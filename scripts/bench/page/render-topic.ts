import type { Told } from '../create-report.ts'
import type { Figure } from '../report.ts'
import { roundForReading } from '../statistics.ts'
import { topics } from './topics.ts'

/** One measured topic and its environment. */
export interface MeasuredTopic {
  readonly topic: string
  readonly told: readonly Told[]
  /** The environment and the command, as Markdown. */
  readonly circumstances: string
}

/** Renders one topic's part of the page as Markdown. */
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
  // In a comparison the ratio matters. The absolute values depend on the machine.
  const strong = comparison !== undefined && name === 'ratio' ? `**${figure}**` : figure
  return `| ${escaped(what)} | ${strong} | ${escaped(note ?? '')} |`
}

/** Escapes what Markdown would parse as markup. */
function escaped(text: string): string {
  return text.replace(/[|<>*_]/gu, '\\$&')
}
