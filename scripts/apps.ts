import { execa } from 'execa'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm apps [layout] [manager]`: installs the packed packages in temporary apps of every layout, with every package
// manager, and starts them on a real Electron. `pnpm apps plain`, `pnpm apps yarn` and `pnpm apps plain yarn` run a part.

const words = process.argv.slice(2)
const filter =
  words.length === 0 ? [] : ['--testNamePattern', words.map((word) => `(?=.*\\b${word}\\b)`).join('')]
const files = ['scripts/test/installed-apps', 'scripts/test/generated-apps']

const { exitCode } = await execa('vitest', ['run', '--project', 'e2e', ...files, ...filter], {
  cwd: repositoryRoot,
  preferLocal: true,
  stdio: 'inherit',
  env: { LATCHKEY_LONG: '1' },
  reject: false,
})
process.exitCode = exitCode ?? 1
