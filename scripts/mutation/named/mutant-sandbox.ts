import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { runCommand } from '../../check/run-command.ts'
import { repositoryRoot } from '../../workspace/repository.ts'
import type { Mutant } from './mutant.ts'

const run = promisify(execFile)

/** What became of a mutant. */
export interface MutantOutcome {
  readonly mutant: Mutant
  readonly isKilled: boolean
  /** Name of the first test that failed. */
  readonly killedBy: string | null
}

/** A copy of the repository in which mistakes can be made while other tests use the original. */
export interface MutantSandbox {
  /** Makes the mistake, runs its tests, and undoes it. @throws Error when the mistake's text is not in its file once. */
  try(mutant: Mutant): Promise<MutantOutcome>
  remove(): Promise<void>
}

/** Copies the tracked files and links the installed packages. */
export async function createMutantSandbox(): Promise<MutantSandbox> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-mutants-'))
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
    maxBuffer: 16 * 1024 * 1024,
  })
  const files = stdout.split('\n').filter((file) => file !== '')
  for (const file of files) await cp(path.join(repositoryRoot, file), path.join(folder, file))
  await linkModules(folder)

  return {
    async try(mutant) {
      const file = path.join(folder, mutant.file)
      const original = await readFile(file, 'utf8')
      if (original.split(mutant.from).length !== 2) {
        throw new Error(`"${mutant.name}": its text does not occur exactly once in ${mutant.file}.`)
      }
      await writeFile(
        file,
        original.replace(mutant.from, () => mutant.to),
      )
      try {
        const lines: string[] = []
        if (mutant.builds !== undefined) await buildPackage(path.join(folder, 'packages', mutant.builds))
        const vitest = path.join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs')
        const command = [process.execPath, vitest, 'run', '--root', folder, '--bail=1']
        const chosen = mutant.only === undefined ? [] : ['--testNamePattern', mutant.only]
        const projects = mutant.project === 'e2e' ? ['e2e'] : ['unit', 'core']
        const project = [...projects.map((name) => `--project=${name}`), ...mutant.tests]
        const hasPassed = await runCommand([...command, ...project, ...chosen], { NO_COLOR: '1' }, (line) =>
          lines.push(line),
        )
        const failed = lines.map((line) => /^\s*FAIL\s+(?:\|?\w+\|?\s+)?(.*)$/u.exec(line)?.[1])
        const killedBy = failed.find((name) => name !== undefined) ?? null
        if (!hasPassed && killedBy === null) {
          throw new Error(`"${mutant.name}": no test failed, the run did:\n${lines.slice(-30).join('\n')}`)
        }
        return { mutant, isKilled: !hasPassed, killedBy }
      } finally {
        await writeFile(file, original)
      }
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

async function buildPackage(folder: string): Promise<void> {
  const tsdown = path.join(repositoryRoot, 'node_modules', 'tsdown', 'dist', 'run.mjs')
  await run(process.execPath, [tsdown], { cwd: folder })
}

/** Links every package, but keeps the cache apart: builds of mutants must not stay in the repository's own. */
async function linkModules(folder: string): Promise<void> {
  const modules = path.join(repositoryRoot, 'node_modules')
  const target = path.join(folder, 'node_modules')
  await mkdir(path.join(target, '.cache', 'latchkey'), { recursive: true })
  for (const name of await readdir(modules)) {
    if (name !== '.cache') await symlink(path.join(modules, name), path.join(target, name), 'junction')
  }
  const cache = path.join(modules, '.cache', 'latchkey')
  const cached = await readdir(cache).catch((): string[] => [])
  for (const name of cached.filter((entry) => /^(?:node|electron)-[\d.]+[^/]*$/u.test(entry))) {
    await symlink(path.join(cache, name), path.join(target, '.cache', 'latchkey', name), 'junction')
  }
  for (const group of ['packages', 'examples']) {
    for (const name of await readdir(path.join(repositoryRoot, group))) {
      const source = path.join(repositoryRoot, group, name, 'node_modules')
      await symlink(source, path.join(folder, group, name, 'node_modules'), 'junction').catch(() => {})
    }
  }
}
