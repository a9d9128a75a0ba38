import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Notebook, openNotebook } from '../src/main/notebook.ts'
import { createAutosave, type Draft } from '../src/renderer/autosave.ts'
import { createNotebookModel, type NotebookModel } from '../src/renderer/notebook-state.ts'
import type { Answer, NotebookBridge } from '../src/shared/notebook-bridge.ts'
import { isNoteName } from '../src/shared/notebook-messages.ts'

let folder: string

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'inkwell-')), 'notes')
})

afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true, force: true })
})

describe('the notebook', () => {
  test('starts with a welcome note, once', async () => {
    openNotebook(folder).remove('Welcome to Inkwell')
    expect(await openNotebook(folder).list('')).toEqual([])
  })

  test('keeps a note as a Markdown file that any editor can open', async () => {
    openNotebook(folder).write('Plan', '# Plan\n')
    expect(await readFile(join(folder, 'Plan.md'), 'utf8')).toBe('# Plan\n')
    expect(await readdir(folder)).toEqual(['.trash', 'Plan.md', 'Welcome to Inkwell.md'])
  })

  test('finds notes by title and by text, with the line that matches', async () => {
    const notebook = openNotebook(folder)
    notebook.write('Groceries', '# Groceries\n\n- **Oat** milk\n- bread\n')
    notebook.write('Oats', 'nothing here')
    const found = await notebook.list('oat')
    expect(found.map(({ name, excerpt }) => [name, excerpt]).sort()).toEqual([
      ['Groceries', 'Oat milk'],
      ['Oats', 'nothing here'],
    ])
  })

  test('lists notes that another program put there, newest first', async () => {
    const notebook = openNotebook(folder)
    await writeFile(join(folder, 'From elsewhere.md'), 'hello')
    const later = new Date(Date.now() + 60_000)
    await utimes(join(folder, 'From elsewhere.md'), later, later)
    await writeFile(join(folder, 'picture.png'), '')
    const names = (await notebook.list('')).map(({ name }) => name)
    expect(names).toEqual(['From elsewhere', 'Welcome to Inkwell'])
  })

  test('names new notes apart', () => {
    const notebook = openNotebook(folder)
    expect([notebook.create(), notebook.create()]).toEqual(['Untitled', 'Untitled 2'])
  })

  test('does not write over a note when another is renamed to its name', async () => {
    const notebook = openNotebook(folder)
    notebook.write('One', 'one')
    notebook.write('Two', 'two')
    expect(() => notebook.rename('One', 'Two')).toThrow('A note called “Two” already exists.')
    expect(await notebook.read('Two')).toBe('two')
  })

  test('brings a deleted note back', async () => {
    const notebook = openNotebook(folder)
    notebook.write('Precious', 'words')
    notebook.remove('Precious')
    await expect(notebook.read('Precious')).rejects.toThrow('This note no longer exists.')
    notebook.restore('Precious')
    expect(await notebook.read('Precious')).toBe('words')
  })
})

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

describe('saving by itself', () => {
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
})

describe('what is typed', () => {
  let model: NotebookModel
  let listeners: Map<string, () => void>
  let late: Promise<void>

  beforeEach(async () => {
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

  test('right before another note is opened is on disk by then', async () => {
    model.edit('abc')
    await model.openNote('Other')
    expect(await readFile(join(folder, 'Plan.md'), 'utf8')).toBe('abc')
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
})
