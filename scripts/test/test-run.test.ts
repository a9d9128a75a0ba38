import { spawnSync } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { namedTests } from '../../vitest.config.ts'
import coverage from '../../vitest.coverage.config.ts'
import { steps, stepsOf } from '../check/steps.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Runs one of our scripts as `pnpm` does. */
function script(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [path.join(repositoryRoot, 'scripts', name), ...args], {
    cwd: repositoryRoot,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
}

test('a test run has every step, and each waits for the steps it needs', () => {
  const after = Object.fromEntries(steps.map((step) => [step.name, step.after]))
  expect(after).toMatchObject({
    build: [],
    electron: [],
    lint: [],
    unit: [],
    coverage: [],
    types: ['build'],
    'supply chain': [],
    packages: ['build'],
    docs: ['build'],
    e2e: ['build', 'electron'],
    pages: ['build', 'electron', 'packages'],
  })
})

test('a long run also tries the named mutants, and repeats the example’s tests with every service', () => {
  const names = (isLongRun: boolean) => stepsOf(isLongRun).map(({ name }) => name)
  const faces = ['dodo', 'keygen', 'lemon-squeezy', 'polar']
  const services = [...faces, ...['commerce', ...faces].map((face) => `${face} behind a gateway`)].map(
    (service) => `e2e with ${service}`,
  )
  expect(names(true)).toEqual([...names(false), ...services, 'mutants'])
})

test('every unit and e2e test runs once and is counted', () => {
  const argsOf = (name: string): readonly string[] => {
    const step = steps.find((step) => step.name === name)
    expect(step?.reportPath).toContain(`${name}.json`)
    return step?.command.slice(2).filter((arg) => !/^--(reporter|outputFile)/u.test(arg)) ?? []
  }
  expect(argsOf('e2e')).toEqual(['run', '--project', 'e2e'])
  expect(argsOf('pages')).toEqual(['run', '--project', 'pages'])
  expect(argsOf('unit')).toEqual(['run', '--project', 'unit'])
  // The unit project excludes exactly the tests that run with coverage.
  expect(argsOf('coverage')).toEqual(['run', '--config', 'vitest.coverage.config.ts', '--coverage'])
  expect(coverage.test?.include).toEqual(namedTests.core)
})

test('steps run the scripts of package.json', async () => {
  const text = await readFile(path.join(repositoryRoot, 'package.json'), 'utf8')
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(text))
  expect(scripts['test']).toBe('node scripts/test.ts')
  for (const { command } of steps) {
    const [verb, name] = command.slice(-2)
    if (verb === 'run') expect(Object.keys(scripts)).toContain(name)
  }
  // None of them ignores a failure.
  for (const line of Object.values(scripts)) expect(line).not.toMatch(/\|\||;|exit 0|--if-present/u)
})

describe('the whole run', () => {
  test.each([
    ['0 where every step passes', '', 0, '1 passed, 0 failed'],
    ['1 where a step fails', 'process.exitCode = 3', 1, '0 passed, 1 failed'],
    ['1 where a step is killed', 'process.kill(process.pid, "SIGKILL")', 1, '0 passed, 1 failed'],
  ])('ends with %s', async (_, code, exitCode, closing) => {
    const module = path.join(await temporaryFolder(), 'steps.mjs')
    const command = [process.execPath, '-e', code]
    const step = { name: 'only', command, after: [], slots: 1 }
    await writeFile(module, `export const steps = ${JSON.stringify([step])}`)
    const run = script('test.ts', ['--steps', module])
    expect([run.status, run.stdout.trim().split('\n').at(-1)], run.stderr).toEqual([exitCode, closing])
  })
})

describe('a script reports its result by its exit code:', () => {
  test.skipIf(process.platform === 'win32').each([
    ['MIT', 0],
    ['GPL-3.0', 1],
  ])('a dependency under %s', async (license, exitCode) => {
    const pnpm = path.join(await temporaryFolder(), 'pnpm')
    const report = { [license]: [{ name: 'dependency', versions: ['1.0.0'] }] }
    await writeFile(pnpm, `#!/bin/sh\necho '${JSON.stringify(report)}'\n`)
    await chmod(pnpm, 0o755)
    expect(script('check-supply-chain.ts', [], { npm_execpath: pnpm }).status).toBe(exitCode)
  })

  test.each(['bench.ts', 'mutate.ts'])('%s rejects an unknown argument', (name) => {
    expect(script(name, ['no-such-thing']).status).toBe(64)
  })
})
