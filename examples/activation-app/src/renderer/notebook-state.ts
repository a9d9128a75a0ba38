import type { Answer, NoteSummary } from '../shared/notebook-bridge.ts'
import { createAutosave } from './autosave.ts'
import { markdownToHtml } from './render-markdown.ts'

/** The page's layout. */
export type Layout = 'write' | 'split' | 'read'

/** A message at the bottom of the window, with an undo action if there is one. */
export interface Notice {
  readonly text: string
  readonly undo?: () => Promise<void>
}

/** Everything the window shows. Every change creates a new object. */
export interface NotebookState {
  readonly notes: readonly NoteSummary[]
  readonly query: string
  readonly open: { readonly name: string; readonly text: string } | null
  readonly layout: Layout
  readonly notice: Notice | null
  /** Whether notes can be read but not changed. */
  readonly isLocked: boolean
  /** Whether notes can be exported as HTML. */
  readonly canExport: boolean
}

/** The notebook as the window uses it: a state, and actions that change it. None of them rejects. */
export interface NotebookModel {
  readonly state: NotebookState
  subscribe(listener: () => void): () => void
  search(query: string): Promise<void>
  openNote(name: string): Promise<void>
  edit(text: string): void
  create(): Promise<void>
  rename(newName: string): Promise<void>
  remove(): Promise<void>
  setLayout(layout: Layout): void
  dismissNotice(): void
  /** Saves the current text, then makes notes read-only or editable. */
  setLocked(isLocked: boolean): Promise<void>
  setCanExport(canExport: boolean): void
  /** Saves the open note as an HTML file that the user chooses. */
  exportNote(): Promise<void>
}

const noticeMs = 6_000

/** Creates the model on top of `window.notebook` and opens the newest note. */
export function createNotebookModel(): NotebookModel {
  let state: NotebookState = {
    notes: [],
    query: '',
    open: null,
    layout: 'split',
    notice: null,
    isLocked: false,
    canExport: false,
  }
  const listeners = new Set<() => void>()
  let noticeTimer: ReturnType<typeof setTimeout> | undefined

  function update(change: Partial<NotebookState>): void {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }

  function tell(notice: Notice): void {
    clearTimeout(noticeTimer)
    noticeTimer = setTimeout(() => update({ notice: null }), noticeMs)
    update({ notice })
  }

  /** Returns a result's value. Shows an error to the user and returns `null`. */
  async function ask<Value>(answer: Promise<Answer<Value>>): Promise<{ readonly value: Value } | null> {
    const settled = await answer
    if (settled.ok) return settled
    tell({ text: settled.message })
    return null
  }

  const autosave = createAutosave(async ({ name, text }) => {
    const written = await ask(window.notebook.write(name, text))
    if (written) await list()
    return written !== null
  })
  window.addEventListener('blur', () => void autosave.flush())
  window.addEventListener('beforeunload', (event) => {
    for (const [name, text] of autosave.unsaved) {
      const written = window.notebook.writeNow(name, text)
      if (written.ok) {
        autosave.forget(name)
        continue
      }
      tell({ text: written.message })
      // Nothing is lost without asking: the main process asks whether to close anyway.
      event.preventDefault()
    }
  })

  async function list(): Promise<void> {
    const asked = state.query
    const found = await ask(window.notebook.list(asked))
    // A slow answer to an older search must not replace a newer one.
    if (found && asked === state.query) update({ notes: found.value })
  }

  async function show(name: string): Promise<void> {
    const note = await ask(window.notebook.read(name))
    // Text that was typed in the meantime or couldn't be saved is newer than the file.
    if (note) update({ open: { name, text: autosave.unsaved.get(name) ?? note.value } })
  }

  async function openNewest(): Promise<void> {
    await list()
    const newest = state.notes[0]
    if (newest) await show(newest.name)
    else update({ open: null })
  }

  /** Text typed while a note is being renamed belongs in the renamed note. */
  function retitle(name: string, newName: string): void {
    const unsaved = autosave.unsaved.get(name)
    autosave.forget(name)
    if (unsaved !== undefined) autosave.schedule({ name: newName, text: unsaved })
    if (state.open?.name === name) update({ open: { name: newName, text: state.open.text } })
  }

  async function restore(name: string, unsaved: string | undefined): Promise<void> {
    await autosave.before(async () => {
      if (!(await ask(window.notebook.restore(name)))) return
      if (unsaved !== undefined) autosave.schedule({ name, text: unsaved })
      update({ notice: null })
      await list()
      await show(name)
    })
  }

  void autosave.before(openNewest)

  return {
    get state() {
      return state
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async search(query) {
      update({ query })
      await list()
    },
    openNote: (name) => autosave.before(() => show(name)),
    edit(text) {
      if (!state.open || state.isLocked) return
      update({ open: { name: state.open.name, text } })
      autosave.schedule({ name: state.open.name, text })
    },
    async create() {
      if (state.isLocked) return
      await autosave.before(async () => {
        const created = await ask(window.notebook.create())
        if (!created) return
        update({ query: '', layout: state.layout === 'read' ? 'split' : state.layout })
        await list()
        await show(created.value)
      })
    },
    async rename(newName) {
      const { open } = state
      const name = newName.trim()
      if (!open || state.isLocked || name === open.name) return
      await autosave.before(async () => {
        const renamed = await ask(window.notebook.rename(open.name, name))
        if (renamed) retitle(open.name, name)
        // Without a rename, the title goes back to the old name.
        else update({})
        await list()
      })
    },
    async remove() {
      const { open } = state
      if (!open || state.isLocked) return
      await autosave.before(async () => {
        if (!(await ask(window.notebook.remove(open.name)))) return
        await openNewest()
        // Writing now would restore the note. The text returns if the note is restored.
        const unsaved = autosave.unsaved.get(open.name)
        autosave.forget(open.name)
        tell({ text: `“${open.name}” was deleted.`, undo: () => restore(open.name, unsaved) })
      })
    },
    setLayout: (layout) => update({ layout }),
    dismissNotice: () => update({ notice: null }),
    async setLocked(isLocked) {
      if (isLocked === state.isLocked) return
      if (isLocked) await autosave.flush()
      update({ isLocked })
    },
    setCanExport(canExport) {
      if (canExport !== state.canExport) update({ canExport })
    },
    async exportNote() {
      const { open } = state
      if (!open) return
      const exported = await ask(window.notebook.exportNote(open.name, markdownToHtml(open.text)))
      if (exported?.value) tell({ text: `Saved as ${exported.value}.` })
    },
  }
}
