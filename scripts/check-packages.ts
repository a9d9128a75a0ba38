import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { runCommand } from './check/run-command.ts'
import { pnpmCommand } from './pnpm-command.ts'
import { repositoryRoot } from './repository.ts'

// `pnpm packages`: packs every package as it would be published, and looks at what a stranger would install.

const binFolder = path.join(repositoryRoot, 'node_modules', '.bin')

/** Checks of one packed package: its exports lead somewhere, and its types are those of an ES module. */
function checksOf(tarball: string): readonly (readonly string[])[] {
  return [
    [path.join(binFolder, 'publint'), 'run', tarball, '--strict'],
    // The ready preload is a file a window is pointed at: nobody imports it, so it has no types.
    [path.join(binFolder, 'attw'), tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'preload.cjs'],
  ]
}

async function quietly(command: readonly string[]): Promise<boolean> {
  const lines: string[] = []
  const passed = await runCommand(command, { NO_COLOR: '1' }, (line) => lines.push(line))
  if (!passed) console.log(lines.join('\n'))
  return passed
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-packages-'))
try {
  const pack = ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder]
  if (!(await quietly(pnpmCommand(pack)))) throw new Error('Packing failed.')
  for (const name of (await readdir(folder)).sort()) {
    const checks = checksOf(path.join(folder, name))
    const outcomes = await Promise.all(checks.map(quietly))
    const passed = outcomes.every((outcome) => outcome)
    console.log(`${passed ? 'good' : 'BAD '}  ${name}`)
    if (!passed) process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
