import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { endProblem, isPardonable } from '../e2e/app-end.ts'
import { countPardons, pardonLine, recordPardon } from '../e2e/pardons.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('an app that quit is fine, but not one that crashed or exited with an error code', () => {
  expect(endProblem({ exitCode: 0, signal: null })).toBeNull()
  const bad = (text: string) => ({ kind: 'bad-end', text })
  expect(endProblem({ exitCode: 7, signal: null })).toEqual(bad('The app ended with exit code 7.'))
  expect(endProblem({ exitCode: null, signal: 'SIGSEGV' })).toEqual(bad('The app ended by SIGSEGV.'))
  expect(endProblem({ exitCode: null, signal: 'SIGABRT' })).toEqual(bad('The app ended by SIGABRT.'))
})

test('only an Electron 25 whose app has quit may be killed without failing the test', () => {
  const quit = 'saving\n[app-quit]\n'
  expect(isPardonable('25.1.1', quit)).toBe(true)
  expect(isPardonable('25.1.1', 'saving\n')).toBe(false)
  expect(isPardonable('45.4.1', quit)).toBe(false)
  expect(isPardonable('250.0.0', quit)).toBe(false)
})

test('apps that were killed after quitting are counted in the closing lines', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => warn.mockRestore())
  const file = `${await temporaryFolder()}/reports/pardons.txt`
  expect([await countPardons(file), pardonLine(0)]).toEqual([0, null])
  await recordPardon('Electron did not end', file)
  await recordPardon('Electron did not end', file)
  expect(await countPardons(file)).toBe(2)
  expect(await readFile(file, 'utf8')).toBe('Electron did not end\nElectron did not end\n')
  expect(warn).toHaveBeenCalledTimes(2)
  expect(pardonLine(2)).toBe('2 apps were killed after quitting, because Electron 25 did not end')
})
