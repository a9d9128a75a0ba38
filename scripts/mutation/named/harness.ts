import type { Mutant } from './mutant.ts'

const runScript = ['scripts/test/test-run', 'scripts/test/failing-tools']

/** Mistakes in the tools that test: they would hide all others. */
export const harnessMutants: readonly Mutant[] = [
  {
    name: 'every command passes',
    file: 'scripts/check/run-command.ts',
    from: 'resolve(exitCode === 0)',
    to: 'resolve(true)',
    tests: runScript,
  },
  {
    name: 'a killed command passes',
    file: 'scripts/check/run-command.ts',
    from: 'resolve(exitCode === 0)',
    to: 'resolve(exitCode === 0 || exitCode === null)',
    tests: runScript,
  },
  {
    name: 'a compiler that is killed found nothing',
    file: 'scripts/check/failure-of.ts',
    from: 'if (await runCommand(command, env, (line) => lines.push(line))) return null',
    to: "if ((await runCommand(command, env, (line) => lines.push(line))) || lines.join('') === '') return null",
    tests: runScript,
  },
  {
    name: 'waiting never throws',
    file: 'scripts/e2e/wait-until.ts',
    from: '  throw new Error(`This did',
    to: '  return (await probe()) as never\n  throw new Error(`This did',
    tests: runScript,
  },
  {
    name: 'the e2e step is gone',
    file: 'scripts/check/steps.ts',
    from: "  vitestStep('e2e', ['--project', 'e2e'], ['build', 'electron']),\n",
    to: '',
    tests: runScript,
  },
  {
    name: 'the exit code of the whole run is dropped',
    file: 'scripts/test.ts',
    from: 'process.exitCode = await',
    to: 'await',
    tests: runScript,
  },
  {
    name: 'failed steps are not counted',
    file: 'scripts/check/run-all.ts',
    from: 'return total.failed > 0 ? 1 : 0',
    to: 'return 0',
    tests: runScript,
  },
  {
    name: 'what a check found does not fail it',
    file: 'scripts/check/tell-faults.ts',
    from: 'if (faults.length > 0) process.exitCode = 1',
    to: '',
    tests: runScript,
  },
  {
    name: 'any Electron is pardoned',
    file: 'scripts/e2e/app-end.ts',
    from: "electronVersion.startsWith('25.') && ",
    to: '',
    tests: ['scripts/test/app-end'],
  },
  {
    name: 'pardons are not counted',
    file: 'scripts/e2e/pardons.ts',
    from: '  await appendFile(file, `',
    to: '  if (line === "") await appendFile(file, `',
    tests: ['scripts/test/app-end'],
  },
  {
    name: 'the signal of a crash is not read',
    file: 'scripts/e2e/app-end.ts',
    from: 'if (exitCode === 0 && signal === null) return null',
    to: 'if (exitCode === 0 || signal !== null) return null',
    tests: ['scripts/test/app-end'],
  },
  {
    name: 'the end of an app is not looked at',
    file: 'scripts/e2e/launch-app.ts',
    from: 'hasEnded() && !wasKilled',
    to: 'false',
    tests: ['scripts/test/launch-app'],
    project: 'e2e',
  },
  {
    name: 'an app that crashed may be killed without a word',
    file: 'scripts/e2e/launch-app.ts',
    from: 'wasKilled ||= !hasEnded()',
    to: 'wasKilled = true',
    tests: ['scripts/test/launch-app'],
    project: 'e2e',
  },
  {
    name: 'the problems of apps that are left open are swallowed',
    file: 'scripts/e2e/app-test.ts',
    from: "for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason",
    to: 'void closed',
    tests: ['scripts/test/launch-app'],
    project: 'e2e',
  },
]
