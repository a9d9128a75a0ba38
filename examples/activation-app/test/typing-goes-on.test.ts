import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Notebook, openNotebook } from '../src/main/notebook.ts'
import { createNotebookModel, type NotebookModel } from '../src/renderer/notebook-state.ts'
import type { Answer, NotebookBridge } from '../src/shared/notebook-bridge.ts'

let folder: string
let model: NotebookModel
let listeners: Map<string, () => void>
let late: Promise<void>

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'inkwell-')), 'notes')
  const notebook = openNotebook(folder)
  notebook.remove('Welcome to Inkwell')
  notebook.write('Other', 'other')
  notebook.write('Plan', 'a')
  listeners = new Map()
  late = Promise.resolve()
  vi.stubGlobal('window', {
    notebook: bridgeTo(notebook),
    addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
  })
  model = createNotebookModel()
  await expect.poll(() => model.state.open).not.toBeNull()
  await model.openNote('Plan')
})

afterEach(async () => {
  await saved()
  vi.unstubAllGlobals()
  await rm(join(folder, '..'), { recursive: true, force: true })
})

/** Like IPC: requests run at once and in order, and answers arrive late if a test delays them. */
function bridgeTo(notebook: Notebook): NotebookBridge {
  async function answer<Value>(verb: () => Value | Promise<Value>): Promise<Answer<Value>> {
    const isLate = late
    try {
      const value = await verb()
      await isLate
      return { ok: true, value }
    } catch (error) {
      await isLate
      return { ok: false, message: String(error) }
    }
  }
  return {
    list: (query) => answer(() => notebook.list(query)),
    read: (name) => answer(() => notebook.read(name)),
    write: (name, text) => answer(() => notebook.write(name, text)),
    writeNow: (name, text) => ({ ok: true, value: notebook.write(name, text) }),
    create: () => answer(() => notebook.create()),
    rename: (name, newName) => answer(() => notebook.rename(name, newName)),
    remove: (name) => answer(() => notebook.remove(name)),
    restore: (name) => answer(() => notebook.restore(name)),
    exportNote: () => answer(() => null),
    findUpdate: () => answer(() => null),
  }
}

/** Types before an answer arrives. The window also loses the focus, which saves at once. */
async function typedDuring(text: string, verb: () => Promise<void>): Promise<void> {
  await during(verb, () => {
    model.edit(text)
    listeners.get('blur')?.()
  })
}

async function during(verb: () => Promise<void>, happening: () => unknown): Promise<void> {
  let arrive = () => {}
  late = new Promise((resolve) => {
    arrive = resolve
  })
  const done = verb()
  // The main process finishes at once, but its answers are still pending.
  await new Promise((resolve) => setTimeout(resolve))
  late = Promise.resolve()
  const happened = happening()
  await new Promise((resolve) => setTimeout(resolve))
  arrive()
  await Promise.all([done, happened])
}

/** Returns the folder's content once everything pending is written. */
async function saved(): Promise<Record<string, string>> {
  listeners.get('blur')?.()
  await model.openNote(model.state.open?.name ?? 'Other')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md')).sort()
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')])),
  )
}

test('while a note is renamed, into the renamed note', async () => {
  await typedDuring('abc', () => model.rename('Journey'))
  expect(model.state.open).toEqual({ name: 'Journey', text: 'abc' })
  expect(await saved()).toEqual({ 'Journey.md': 'abc', 'Other.md': 'other' })
})

test('while a rename is refused, into the note as it is called', async () => {
  await typedDuring('abc', () => model.rename('Other'))
  expect(model.state.open).toEqual({ name: 'Plan', text: 'abc' })
  expect(await saved()).toEqual({ 'Other.md': 'other', 'Plan.md': 'abc' })
})

test('while another note is opened, into the one that is still shown', async () => {
  await typedDuring('abc', () => model.openNote('Other'))
  model.edit('other, and more')
  expect(await saved()).toEqual({ 'Other.md': 'other, and more', 'Plan.md': 'abc' })
})

test('while the same note is opened again, and is not taken back', async () => {
  await typedDuring('abc', () => model.openNote('Plan'))
  expect(model.state.open).toEqual({ name: 'Plan', text: 'abc' })
})

test('while a new note is made, into the one that is still shown', async () => {
  await typedDuring('abc', () => model.create())
  model.edit('new')
  expect(await saved()).toEqual({ 'Other.md': 'other', 'Plan.md': 'abc', 'Untitled.md': 'new' })
})

test('while a note is deleted, and comes back with it and not before', async () => {
  await typedDuring('abc', () => model.remove())
  expect(await saved()).toEqual({ 'Other.md': 'other' })
  await model.state.notice?.undo?.()
  expect(model.state.open).toEqual({ name: 'Plan', text: 'abc' })
  expect(await saved()).toEqual({ 'Other.md': 'other', 'Plan.md': 'abc' })
})

test('while a deletion is refused, into the note', async () => {
  await rm(join(folder, '.trash'), { recursive: true })
  await writeFile(join(folder, '.trash'), '')
  await typedDuring('abc', () => model.remove())
  expect(model.state.open).toEqual({ name: 'Plan', text: 'abc' })
  expect(await saved()).toEqual({ 'Other.md': 'other', 'Plan.md': 'abc' })
})

test('a note opened while another is renamed is not taken for the renamed one', async () => {
  await during(
    () => model.rename('Journey'),
    () => model.openNote('Other'),
  )
  expect(model.state.open).toEqual({ name: 'Other', text: 'other' })
  expect(await saved()).toEqual({ 'Journey.md': 'a', 'Other.md': 'other' })
})
