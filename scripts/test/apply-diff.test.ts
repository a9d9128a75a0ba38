import { expect, test } from 'vitest'
import { applyDiff } from '../docs/apply-diff.ts'

const file = "import a from 'a'\n\nstart()\nstop()\n"

test('a diff changes only the lines that it shows', () => {
  const diff = " import a from 'a'\n+import b from 'b'\n@@\n-start()\n+b.gate(start)\n"
  expect(applyDiff(file, diff)).toBe("import a from 'a'\nimport b from 'b'\n\nb.gate(start)\nstop()\n")
})

test('a diff whose lines are missing or occur twice names them', () => {
  expect(() => applyDiff(file, '-begin()\n+gate()\n')).toThrow('0 times, not once:\nbegin()')
  expect(() => applyDiff(`${file}stop()\n`, '-stop()\n')).toThrow('2 times, not once:\nstop()')
})
