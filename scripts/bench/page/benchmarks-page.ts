import { topics } from './topics.ts'

const introduction = `# Benchmarks

\`pnpm bench\` generates this page, so don't edit it. \`pnpm bench <topic>\` measures one topic again and replaces only its
part. So each part lists the machine it was measured on.

A figure is the median of many measurements. The middle half is the range around it that contains half of them. If the
middle halves of two figures overlap, don't treat the figures as different.

Absolute times depend on the machine. Two variants to compare are measured alternately, in pairs, and compared by the median
of the pairs' ratios. A slow moment of the machine affects that ratio least.
`

const startOf = (topic: string): string => `<!-- bench: ${topic} -->`
const endOf = (topic: string): string => `<!-- end: ${topic} -->`

/**
 * Returns the page with new parts in place of old ones.
 *
 * @param page the current page; empty if there is none yet
 * @param parts Markdown by topic
 * @param known every topic that can be measured; parts of other topics are removed
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
