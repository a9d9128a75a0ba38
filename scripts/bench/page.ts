import { execFileSync } from 'node:child_process'
import os from 'node:os'
import { repositoryRoot } from '../workspace/repository.ts'
import { type Figure, roundForReading, type Told } from './report.ts'

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

/** The environment of a measurement. */
interface Circumstances {
  /** The processor and its number of cores. */
  readonly machine: string
  /** Operating system, Node and, if one was used, Electron. */
  readonly versions: string
  readonly commit: string
  /** The machine's load, if it was too high for times to be trusted. */
  readonly load: number | null
}

/** Reads the environment of this machine. */
export function readCircumstances(electronVersion: string | null): Circumstances {
  const memoryGib = Math.round(os.totalmem() / 2 ** 30)
  const [loadPerMinute = 0] = os.loadavg()
  return {
    machine: `${os.cpus()[0]?.model.trim() ?? 'unknown processor'}, ${os.availableParallelism()} cores, ${memoryGib} GiB`,
    versions: [
      `${os.type()} ${os.release()}`,
      `Node ${process.versions.node}`,
      ...(electronVersion === null ? [] : [`Electron ${electronVersion}`]),
    ].join(', '),
    commit: commitOfRepository(),
    load: loadPerMinute > os.availableParallelism() / 2 ? loadPerMinute : null,
  }
}

/** The line below a topic's figures. */
export function describeCircumstances(
  { machine, versions, commit, load }: Circumstances,
  command: string,
  day: string,
): string {
  const busy =
    load === null
      ? ''
      : ` The machine was busy with other things when the run started (load ${load.toFixed(1)}), so times are too long and vary more.`
  return `Measured on ${day} by \`${command}\` at commit ${commit}: ${machine}; ${versions}.${busy}`
}

function commitOfRepository(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    // Ignore the page itself, which is about to be written.
    const changes = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs/benchmarks.md')
    return `${git('rev-parse', '--short', 'HEAD')}${changes === '' ? '' : ' with changes'}`
  } catch {
    return 'unknown'
  }
}

/** One measured topic and its environment. */
interface MeasuredTopic {
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

/** What a reader needs to know about the figures of one topic. */
interface Topic {
  readonly title: string
  /** What is measured, and what a good result is. */
  readonly meaning: string
}

/** In the page's order. Topics that aren't listed here come last, under their own name. */
export const topics: Readonly<Record<string, Topic>> = {
  sizes: {
    title: 'Size',
    meaning:
      'How much Latchkey adds to an app. esbuild bundles and minifies everything, and gzip compresses it. Electron and Node ' +
      'are not included.',
  },
  launch: {
    title: 'Launch of an activated app',
    meaning:
      'From the start of the process to the first window: the [example app](../examples/activation-app) compared with the ' +
      'same app without Latchkey, in pairs. The ratio shows how much longer a user waits at each launch. A ratio of 1 ' +
      'would mean no difference.',
  },
  peers: {
    title: 'Compared with other packages',
    meaning:
      'The notebook of the [example app](../examples/activation-app), activated, behind Latchkey and behind each package with ' +
      'the same purpose: launched in turns, in one run. A lower figure is better in every row. The first window is ' +
      'shown and painted in all; ratios are the median of the rounds’ ratios to the notebook without a gate.',
  },
  start: {
    title: 'The decision at launch',
    meaning:
      'From `licensing.start()` to a decided state on an activated device. The decision comes from the disk, so it must take ' +
      'the same time however slow the service is. ' +
      'A first activation should add at most 100 ms to the answers of the service.',
  },
  window: {
    title: 'The activation window',
    meaning:
      'From the call to the first text in the window, compared with an empty window with a static page.',
  },
  walk: {
    title: 'Walking long lists',
    meaning:
      'Reading every page of a long list and checking each item, compared with a bare `fetch` and `JSON.parse` of the ' +
      'same pages.',
  },
  'gateway-throughput': {
    title: 'The gateway under load',
    meaning: 'Requests per second, compared with a bare reverse proxy of the same route, in pairs.',
  },
  'gateway-leases': {
    title: 'Leases',
    meaning:
      'The cost of signing one answer on the gateway, and of verifying one. A device asks about once a day, so a single ' +
      'core can sign for millions of devices.',
  },
  'gateway-memory': {
    title: 'Memory of the gateway',
    meaning: 'How much memory the process uses while it is kept busy.',
  },
}
