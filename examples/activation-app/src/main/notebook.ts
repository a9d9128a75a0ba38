import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { NoteSummary } from '../shared/notebook-bridge.ts'
import { welcomeNote } from './welcome-note.ts'

/** An error with a sentence for the user. Every other error is a bug or a disk error. */
export class NotebookError extends Error {
  override readonly name = 'NotebookError'
}

/** Notes as Markdown files in one folder. The caller checks the names. */
export interface Notebook {
  list(query: string): Promise<readonly NoteSummary[]>
  read(name: string): Promise<string>
  write(name: string, text: string): void
  create(): string
  rename(name: string, newName: string): void
  remove(name: string): void
  restore(name: string): void
}

const extension = '.md'

/** Opens the notebook in a folder. A new one contains a welcome note. */
export function openNotebook(folder: string): Notebook {
  const fileOf = (name: string) => join(folder, name + extension)
  const trashOf = (name: string) => join(folder, '.trash', name + extension)

  // Synchronous, because notes are small and the window may close right after the request.
  function write(name: string, text: string): void {
    const temporary = join(folder, `.${name}.writing`)
    writeFileSync(temporary, text)
    renameSync(temporary, fileOf(name))
  }

  function move(from: string, to: string): void {
    if (!existsSync(from)) throw new NotebookError('This note no longer exists.')
    renameSync(from, to)
  }

  const isNew = !existsSync(folder)
  mkdirSync(join(folder, '.trash'), { recursive: true })
  if (isNew) write(welcomeNote.name, welcomeNote.text)

  return {
    async list(query) {
      const files = (await readdir(folder)).filter(
        (file) => file.endsWith(extension) && !file.startsWith('.'),
      )
      const found = await Promise.all(files.map((file) => summarize(folder, file, query)))
      return found
        .filter((note) => note !== null)
        .sort((one, other) => other.modifiedAt.localeCompare(one.modifiedAt))
    },
    async read(name) {
      if (!existsSync(fileOf(name))) throw new NotebookError('This note no longer exists.')
      return await readFile(fileOf(name), 'utf8')
    },
    write,
    create() {
      let name = 'Untitled'
      for (let count = 2; existsSync(fileOf(name)); count++) name = `Untitled ${count}`
      write(name, '')
      return name
    },
    rename(name, newName) {
      // On a case-insensitive file system, the new name may differ from the old one only in case.
      const sameFile = name.toLowerCase() === newName.toLowerCase()
      if (!sameFile && existsSync(fileOf(newName))) {
        throw new NotebookError(`A note called “${newName}” already exists.`)
      }
      move(fileOf(name), fileOf(newName))
    },
    remove(name) {
      move(fileOf(name), trashOf(name))
    },
    restore(name) {
      if (existsSync(fileOf(name))) throw new NotebookError(`A note called “${name}” exists again.`)
      move(trashOf(name), fileOf(name))
    },
  }
}

async function summarize(folder: string, file: string, query: string): Promise<NoteSummary | null> {
  const path = join(folder, file)
  const name = file.slice(0, -extension.length)
  const [text, { mtime }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
  const lines = text.split('\n').map(plainLine)
  const wanted = query.trim().toLowerCase()
  const match = wanted === '' ? undefined : lines.find((line) => line.toLowerCase().includes(wanted))
  if (wanted !== '' && match === undefined && !name.toLowerCase().includes(wanted)) return null
  const excerpt = match ?? lines.find((line) => line !== '' && line !== name) ?? ''
  return { name, modifiedAt: mtime.toISOString(), excerpt: excerpt.slice(0, 140) }
}

function plainLine(line: string): string {
  return line
    .replace(/^[\s#>*-]+/u, '')
    .replace(/[*_`]/gu, '')
    .trim()
}
