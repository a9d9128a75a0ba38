import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { subjectProblem } from '../check/commit-subject.ts'
import { repositoryRoot } from '../workspace/repository.ts'

test.each([
  'Fix hang on quit in Electron 25',
  'Keep validating when a newer app owns the record',
  'Need a window before the first check',
])('accepts "%s"', (subject) => {
  expect(subjectProblem(subject)).toBeNull()
})

test.each([
  ['Fixed a hang', 'imperative'],
  ['Adds a fake client', 'imperative'],
  ['The gateway signs leases', 'imperative'],
  ['An older app keeps its license', 'imperative'],
  ['fix a hang', 'capital letter'],
  ['Fix a hang.', 'period'],
  ['Keep validating when a newer app owns the record, and say so in the log', '65'],
])('refuses "%s"', (subject, reason) => {
  expect(subjectProblem(subject)).toContain(reason)
})

test('the command fails and lists every subject to change', () => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [path.join(repositoryRoot, 'scripts/check-commit-subjects.ts')],
    { input: 'Fix a hang\nFixed a hang\n', encoding: 'utf8' },
  )
  expect(status).toBe(1)
  expect(stderr).toContain('"Fixed a hang"')
  expect(stdout).toContain('2 commit subjects, 1 of them to change')
})
