import { expect, test, vi } from 'vitest'
import { noteUse } from '../../src/main/note-use.ts'

const licensing = {
  state: 'unlicensed',
  gate: () => 'left',
  openActivationWindow: () => 'opened',
  diagnose: () => 'report',
}

test('only what an app decides with counts as used', () => {
  const onUse = vi.fn()
  const noted = noteUse(licensing, onUse)
  expect([noted.openActivationWindow(), noted.diagnose()]).toEqual(['opened', 'report'])
  expect(onUse).not.toHaveBeenCalled()
  expect([noted.gate(), noted.state]).toEqual(['left', 'unlicensed'])
  expect(onUse.mock.calls).toEqual([['isUsed'], ['isRead']])
})
