import { execFileSync } from 'node:child_process'
import os from 'node:os'
import { repositoryRoot } from '../../workspace/repository.ts'

/** The environment of a measurement. */
export interface Circumstances {
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
