import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openNotebook } from '../src/main/notebook.ts'

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
