import { runCommand } from './check/run-command.ts'

// `pnpm apps [layout] [manager]`: installs the packed packages in temporary apps of every layout, with every package
// manager, and starts them on a real Electron. `pnpm apps plain`, `pnpm apps yarn` and `pnpm apps plain yarn` run a part.

const words = process.argv.slice(2)
const filter =
  words.length === 0 ? [] : ['--testNamePattern', words.map((word) => `(?=.*\\b${word}\\b)`).join('')]
const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--project', 'e2e']

const passed = await runCommand(
  [...vitest, 'scripts/test/installed-apps', 'scripts/test/generated-apps', ...filter],
  { LATCHKEY_LONG: '1' },
  (line) => console.log(line),
)
process.exitCode = passed ? 0 : 1
