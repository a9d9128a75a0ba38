import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BenchModule, createReport } from './bench/report.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm bench [topic …] [--long]`: measures and prints. There are no thresholds. docs/benchmarks.md has the figures of a
// quiet machine; bench/report.ts describes what a benchmark is.

const args = process.argv.slice(2)
const topics = args.filter((arg) => !arg.startsWith('-'))
const patterns = ['scripts/bench/suites/*.bench.ts', 'packages/*/bench/*.bench.ts']
const files = globSync(patterns, { cwd: repositoryRoot }).sort()
const topicOf = (file: string): string => path.basename(file, '.bench.ts')
const chosen = files.filter((file) => topics.length === 0 || topics.includes(topicOf(file)))

if (chosen.length === 0) {
  console.error(`No benchmark of that name. There are: ${files.map(topicOf).join(', ')}`)
  process.exit(64)
}

const [processor] = os.cpus()
const [loadPerMinute = 0] = os.loadavg()
const commit = execFileSync('git', ['describe', '--always', '--dirty'], {
  cwd: repositoryRoot,
  encoding: 'utf8',
})
console.log(
  `${processor?.model.trim() ?? 'Unknown processor'}, ${os.availableParallelism()} cores; ${os.type()} ${os.release()}, ` +
    `Node ${process.versions.node}; commit ${commit.trim()}`,
)
if (loadPerMinute > os.availableParallelism() / 2) {
  console.log(
    `This machine is busy (load ${loadPerMinute.toFixed(1)}): times will scatter. Repeat it on a quiet one.`,
  )
}

const report = createReport(args.includes('--long'))
for (const file of chosen) {
  try {
    const { bench } = await loadBenchmark(file)
    await bench(report)
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}
await report.close()

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
