import { expect, test } from 'vitest'
import { AppProblemsError, problemsInOutput } from '../e2e/app-problem.ts'

const output = [
  '[1234:1121/063943.672914:ERROR:bus.cc(399)] Failed to connect to the bus',
  'Debugger listening on ws://127.0.0.1:39289/b1fbe1db',
  'saving note "Plan"',
  '[app-quit]',
  '[app-problem] {"kind":"uncaught-exception","text":"Error: boom\\n    at main.cjs:1:1"}',
].join('\n')

test('problems are found within an app’s output', () => {
  expect(problemsInOutput(output)).toEqual([
    { kind: 'uncaught-exception', text: 'Error: boom\n    at main.cjs:1:1' },
  ])
})

test('an error has the problem and the app’s own output, without Chromium’s usual messages', () => {
  const { message } = new AppProblemsError(problemsInOutput(output), output)
  expect(message).toContain('- uncaught-exception: Error: boom')
  expect(message).toContain('saving note "Plan"')
  expect(message).not.toMatch(/bus\.cc|Debugger listening|app-quit/)
})
