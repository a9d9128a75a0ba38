import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { gaps } from '../e2e/service-needs.ts'
import { testsOfAnyService, testsOfNoService } from '../e2e/service-tests.ts'
import { readServiceUnderTest } from '../e2e/service-under-test.ts'
import { repositoryRoot } from '../workspace/repository.ts'

test('every end-to-end test runs with every service, or the list says why it doesn’t', async () => {
  const files: string[] = []
  const pattern = '{packages,examples,scripts}/**/*.e2e.test.ts'
  const exclude = (name: string): boolean => name.endsWith('node_modules')
  for await (const file of glob(pattern, { cwd: repositoryRoot, exclude })) {
    files.push(file.replaceAll(path.sep, '/'))
  }
  const isExplained = (file: string): boolean =>
    Object.keys(testsOfNoService).some((start) => file.startsWith(start))
  const unknown = files.filter((file) => !testsOfAnyService.includes(file) && !isExplained(file))
  expect(unknown).toEqual([])
  expect(testsOfAnyService.filter((file) => !files.includes(file))).toEqual([])
  expect(testsOfAnyService.filter(isExplained)).toEqual([])
})

test('the page on licensing services says what is checked only with some services, and why', async () => {
  const page = await readFile(path.join(repositoryRoot, 'docs/services/index.md'), 'utf8')
  const [, section = ''] = page.split('## What the end-to-end tests leave out')
  const names = new Map([
    ['commerce', 'commerce'],
    ['dodo', 'Dodo'],
    ['keygen', 'Keygen'],
    ['lemon-squeezy', 'Lemon Squeezy'],
    ['polar', 'Polar'],
  ])
  for (const [need, { checks, inApp, behindGateway }] of Object.entries(gaps)) {
    const row = section.split('\n').find((line) => line.startsWith(`| ${checks} `)) ?? `no row for: ${checks}`
    const listed = row.split('|').slice(2, 5)
    const isAll = behindGateway.length === names.size
    expect(
      listed?.map((cell) => cell.trim()),
      row,
    ).toEqual([
      need,
      inApp.map((name) => names.get(name)).join(', ') || 'none',
      isAll ? 'all' : behindGateway.map((name) => names.get(name)).join(', ') || 'none',
    ])
  }
})

test('an unknown service ends the run, instead of running it with another one', () => {
  expect(() => readServiceUnderTest({ LATCHKEY_FACE: 'paddle' })).toThrow('LATCHKEY_FACE must be one of')
  expect(readServiceUnderTest({}).name).toBe('commerce')
  const behind = readServiceUnderTest({ LATCHKEY_FACE: 'polar', LATCHKEY_BEHIND_GATEWAY: '1' })
  expect(behind).toMatchObject({ name: 'polar behind the gateway', unreachableCode: 'service-error' })
  expect(behind.has('the list of devices')).toBe(true)
})
