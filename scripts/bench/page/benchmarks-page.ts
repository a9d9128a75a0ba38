import { topics } from './topics.ts'

const introduction = `# Benchmarks

This page is written by \`pnpm bench\` and by nobody else. \`pnpm bench <topic>\` measures one topic again and replaces its
part alone, so each part says what it was measured on.

How to read it: a figure is the median of many measurements, and the middle half is where half of them lie. Two figures
whose middle halves overlap are not different. Absolute times belong to the machine; what was measured in pairs, one and
the other in turns, is compared by the median of the pairs' ratios, which a slow moment of the machine spoils least.
`

const startOf = (topic: string): string => `<!-- bench: ${topic} -->`
const endOf = (topic: string): string => `<!-- end: ${topic} -->`

/**
 * The page with new parts put in the place of old ones.
 *
 * @param page the page as it is; empty when there is none yet
 * @param parts Markdown by topic
 * @param known every topic that can be measured; parts of others are dropped
 */
export function mergeIntoPage(
  page: string,
  parts: ReadonlyMap<string, string>,
  known: readonly string[],
): string {
  const order = [...Object.keys(topics), ...known].filter((topic, at, all) => all.indexOf(topic) === at)
  const body = order
    .filter((topic) => known.includes(topic))
    .flatMap((topic) => {
      const part = parts.get(topic) ?? partOf(page, topic)
      return part === undefined ? [] : [`${startOf(topic)}\n\n${part.trim()}\n\n${endOf(topic)}\n`]
    })
  return [introduction, ...body].join('\n')
}

function partOf(page: string, topic: string): string | undefined {
  const start = page.indexOf(startOf(topic))
  const end = page.indexOf(endOf(topic), start)
  return start === -1 || end === -1 ? undefined : page.slice(start + startOf(topic).length, end)
}
