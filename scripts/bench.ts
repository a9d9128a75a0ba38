import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeCircumstances, mergeIntoPage, readCircumstances, renderTopic } from './bench/page.ts'
import { type BenchModule, createReport } from './bench/report.ts'
import { repositoryRoot } from './workspace/repository.ts'
import { runTool } from './workspace/run-tool.ts'

// `pnpm bench [topic …] [--long] [--print]`: measures and writes docs/benchmarks.md, or only prints with `--print`.
// There are no thresholds. bench/report.ts describes what a benchmark is.

const pagePath = path.join(repositoryRoot, 'docs', 'benchmarks.md')
const args = process.argv.slice(2)
const isLong = args.includes('--long')
const topics = args.filter((arg) => !arg.startsWith('-'))
const patterns = ['scripts/bench/suites/*.bench.ts', 'packages/*/bench/*.bench.ts']
const files = globSync(patterns, { cwd: repositoryRoot }).sort()
const chosen = files.filter((file) => topics.length === 0 || topics.includes(topicOf(file)))

if (chosen.length === 0) {
  console.error(`No benchmark of that name. There are: ${files.map(topicOf).join(', ')}`)
  process.exit(64)
}

const before = readCircumstances(null)
console.log(`${before.machine}; ${before.versions}; commit ${before.commit}`)
if (before.load !== null) {
  console.log(
    `This machine is busy (load ${before.load.toFixed(1)}): times will scatter. Repeat it on a quiet one.`,
  )
}

const report = createReport(isLong)
const parts = new Map<string, string>()
for (const file of chosen) {
  const topic = topicOf(file)
  try {
    parts.set(topic, await measure(topic, file))
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}
await report.close()

if (!args.includes('--print') && parts.size > 0) {
  const page = await readFile(pagePath, 'utf8').catch(() => '')
  await writeFile(pagePath, mergeIntoPage(page, parts, files.map(topicOf)))
  // Lint requires aligned tables.
  const biome = path.join(repositoryRoot, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  await runTool([process.execPath, biome, 'format', '--write', pagePath], repositoryRoot)
  console.log(`\nWritten to docs/benchmarks.md: ${[...parts.keys()].join(', ')}`)
}

/** Measures one topic and returns its part of the page. */
async function measure(topic: string, file: string): Promise<string> {
  const { bench } = await loadBenchmark(file)
  const toldBefore = report.told.length
  await bench(report)
  const told = report.told.slice(toldBefore)
  const electron = told.find((it) => it.kind === 'electron')?.version ?? null
  const command = `pnpm bench ${topic}${isLong ? ' --long' : ''}`
  const day = new Date().toISOString().slice(0, 10)
  // After earlier topics the machine would still be busy.
  const measuredOn = { ...readCircumstances(electron), load: topic === 'sizes' ? null : before.load }
  const circumstances = describeCircumstances(measuredOn, command, day)
  return renderTopic({ topic, told, circumstances })
}

async function loadBenchmark(file: string): Promise<BenchModule> {
  const loaded: unknown = await import(pathToFileURL(path.join(repositoryRoot, file)).href)
  if (!isBenchModule(loaded)) throw new Error(`${file} exports no function called bench.`)
  return loaded
}

function isBenchModule(loaded: unknown): loaded is BenchModule {
  return (
    typeof loaded === 'object' && loaded !== null && 'bench' in loaded && typeof loaded.bench === 'function'
  )
}

function topicOf(file: string): string {
  return path.basename(file, '.bench.ts')
}
