import { expect, test } from 'vitest'
import { createAutosave, type Draft } from '../src/renderer/autosave.ts'

const pauseMs = 5
const longPauseMs = 60_000

function recorder(): { written: Draft[]; write: (draft: Draft) => Promise<boolean> } {
  const written: Draft[] = []
  return {
    written,
    write: async (draft) => {
      await new Promise((resolve) => setTimeout(resolve))
      written.push(draft)
      return true
    },
  }
}

test('writes once typing pauses, and only the newest text', async () => {
  const { written, write } = recorder()
  const autosave = createAutosave(write, pauseMs)
  autosave.schedule({ name: 'Plan', text: 'o' })
  autosave.schedule({ name: 'Plan', text: 'on' })
  await expect.poll(() => written).toEqual([{ name: 'Plan', text: 'on' }])
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
  const begun: string[] = []
  let finishOld = () => {}
  const slowDisk = new Promise<void>((resolve) => {
    finishOld = resolve
  })
  const autosave = createAutosave(async ({ text }) => {
    begun.push(text)
    if (text === 'old') await slowDisk
    written.push(text)
    return true
  }, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'old' })
  void autosave.flush()
  await expect.poll(() => begun).toEqual(['old'])
  autosave.schedule({ name: 'Plan', text: 'new' })
  const flushed = autosave.flush()
  finishOld()
  await flushed
  expect(written).toEqual(['old', 'new'])
})

test('hands over what waits when the page goes away, and does not write it twice', async () => {
  const { written, write } = recorder()
  const autosave = createAutosave(write, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'on' })
  expect([...autosave.unsaved]).toEqual([['Plan', 'on']])
  autosave.forget('Plan')
  await autosave.flush()
  expect(written).toEqual([])
})

test('keeps what could not be written, also when another note is written, and tries it again', async () => {
  let isFull = true
  const written: Draft[] = []
  const autosave = createAutosave(async (draft) => {
    if (!isFull) written.push(draft)
    return !isFull
  }, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'on' })
  await autosave.flush()
  autosave.schedule({ name: 'List', text: 'milk' })
  await autosave.flush()
  isFull = false
  await autosave.flush()
  expect(written).toEqual([
    { name: 'Plan', text: 'on' },
    { name: 'List', text: 'milk' },
  ])
  expect([...autosave.unsaved]).toEqual([])
})

test('keeps what was typed while an older text was written', async () => {
  const written: string[] = []
  const autosave = createAutosave(async ({ text }) => {
    if (text === 'old') autosave.schedule({ name: 'Plan', text: 'new' })
    written.push(text)
    return true
  }, longPauseMs)
  autosave.schedule({ name: 'Plan', text: 'old' })
  await autosave.flush()
  expect([...autosave.unsaved]).toEqual([['Plan', 'new']])
  await autosave.flush()
  expect(written).toEqual(['old', 'new'])
})
