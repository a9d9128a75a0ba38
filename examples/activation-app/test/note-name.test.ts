import { expect, test } from 'vitest'
import { isNoteName } from '../src/shared/notebook-messages.ts'

test.each(['Plan', 'Äpfel & Öl', '2026-11-21', 'a.b', '日記'])('takes %j as the name of a note', (name) => {
  expect(isNoteName(name)).toBe(true)
})

test.each([
  '',
  ' ',
  '../secret',
  'a/b',
  'a\\b',
  'C:x',
  '.hidden',
  'dot.',
  'nul',
  'COM1',
  'a\u0000b',
  'x'.repeat(101),
])('refuses %j as the name of a note, which would be a path or no file', (name) => {
  expect(isNoteName(name)).toBe(false)
})
