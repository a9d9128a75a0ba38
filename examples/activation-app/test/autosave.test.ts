import { expect, test } from 'vitest'
import { createAutosave, type Draft } from '../src/renderer/autosave.ts'

const pauseMs = 5
const longPauseMs = 60_000

function recorder(): { written: Draft[]; write: (draft: Draft) => Promise<void> } {
  const written: Draft[] = []
  return {
    written,
    write: async (draft) => {
      await new Promise((resolve) => setTimeout(resolve))
      written.push(draft)
    },
  }
}

test('writes once typing pauses, and only the newest text', async () => {
  const { written, write } = recorder()
  const autosave = createAutosave(write, pauseMs)
  autosave.schedule({ name: 'Plan', text: 'o' })
  autosave.schedule({ name: 'Plan', text: 'on' })
  await expect.poll(() => written, { timeout: 10_000 }).toEqual([{ name: 'Plan', text: 'on' }])
})

test('writes what waits before another note is opened', async () => {
  const { written, write } = recorder()
  const autosave = createAutosave(write, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'on' })
  await autosave.flush()
  expect(written).toEqual([{ name: 'Plan', text: 'on' }])
})

test('never lets an older text land after a newer one', async () => {
  const written: string[] = []
  let delayMs = 20
  const autosave = createAutosave(async ({ text }) => {
    const waitMs = delayMs
    delayMs = 0
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    written.push(text)
  }, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'old' })
  void autosave.flush()
  autosave.schedule({ name: 'Plan', text: 'new' })
  await autosave.flush()
  expect(written).toEqual(['old', 'new'])
})

test('hands over what waits when the page goes away, and does not write it twice', async () => {
  const { written, write } = recorder()
  const autosave = createAutosave(write, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'on' })
  expect(autosave.take()).toEqual({ name: 'Plan', text: 'on' })
  await autosave.flush()
  expect(written).toEqual([])
})
