import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createReport } from './bench/create-report.ts'
import type { BenchModule } from './bench/report.ts'
import { buildPackages } from './build-packages.ts'
import { repositoryRoot } from './repository.ts'

// `pnpm bench [topic …] [--long]`: measures and judges nothing. What a benchmark is: bench/report.ts.

const args = process.argv.slice(2)
const topics = args.filter((arg) => !arg.startsWith('-'))
const patterns = ['scripts/bench/suites/*.bench.ts', 'packages/*/bench/*.bench.ts']
const files = globSync(patterns, { cwd: repositoryRoot }).sort()
const chosen = files.filter((file) => topics.length === 0 || topics.includes(topicOf(file)))

if (chosen.length === 0) {
  console.error(`No benchmark of that name. There are: ${files.map(topicOf).join(', ')}`)
  process.exit(64)
}

console.log(`${os.cpus()[0]?.model ?? 'unknown processor'}, ${os.availableParallelism()} cores`)
console.log(`${os.type()} ${os.release()}, Node ${process.version}, commit ${commit()}`)
const [loadPerMinute = 0] = os.loadavg()
if (loadPerMinute > os.availableParallelism() / 2) {
  console.log(
    `This machine is busy (load ${loadPerMinute.toFixed(1)}): times will scatter. Repeat it on a quiet one.`,
  )
}
console.log('Building …')
await buildPackages()

const report = createReport(args.includes('--long'))
try {
  for (const file of chosen) {
    const { bench } = await loadBenchmark(file)
    await bench(report)
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await report.close()
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

function commit(): string {
  try {
    const git = (...gitArgs: string[]) =>
      execFileSync('git', gitArgs, { cwd: repositoryRoot, encoding: 'utf8' }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`
  } catch {
    return 'unknown'
  }
}
