import { html, nothing, render, type TemplateResult } from 'lit'
import { classMap } from 'lit/directives/class-map.js'
import { guard } from 'lit/directives/guard.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { NoteSummary } from '../shared/notebook-bridge.ts'
import { type Icon, icon } from './icon.ts'
import type { Layout, NotebookModel, NotebookState } from './notebook-state.ts'
import { renderMarkdown } from './render-markdown.ts'
import { listenForShortcuts } from './shortcuts.ts'

/** Shows the notebook in an element and keeps it up to date. */
export function mountNotebook(root: HTMLElement, model: NotebookModel): void {
  const show = () => {
    document.title = model.state.open ? `${model.state.open.name} – Inkwell` : 'Inkwell'
    render(view(model.state, model), root)
  }
  model.subscribe(show)
  listenForShortcuts(root, model)
  show()
}

function view(state: NotebookState, model: NotebookModel): TemplateResult {
  return html`
    <aside class="sidebar">
      <header>
        <h1>${icon('drop')} Inkwell</h1>
        ${iconButton('plus', 'New note', () => void model.create(), state.isLocked)}
      </header>
      <input
        class="search"
        type="search"
        placeholder="Search"
        aria-label="Search notes"
        .value=${live(state.query)}
        @input=${(event: InputEvent) => void model.search(typedInto(event))}
      />
      ${noteList(state, model)}
    </aside>
    <main class=${classMap({ page: true, [state.layout]: true })}>
      ${state.open ? openNote(state.open, state, model) : emptyPage(state, model)}
    </main>
    <div class="notice" role="status">${notice(state, model)}</div>
  `
}

function noteList({ notes, query, open }: NotebookState, model: NotebookModel): TemplateResult {
  if (notes.length === 0 && query !== '') return html`<p class="none">No note contains “${query}”.</p>`
  return html`
    <nav aria-label="Notes">
      ${repeat(
        notes,
        (note) => note.name,
        (note) => html`
          <button
            class="note"
            aria-current=${note.name === open?.name ? 'true' : 'false'}
            @click=${() => void model.openNote(note.name)}
          >
            <strong>${note.name}</strong>
            <span>${excerptLine(note)}</span>
          </button>
        `,
      )}
    </nav>
  `
}

function openNote(
  open: NonNullable<NotebookState['open']>,
  { isLocked, canExport, layout }: NotebookState,
  model: NotebookModel,
): TemplateResult {
  return html`
    <header class="toolbar">
      <input
        class="title"
        aria-label="Title"
        spellcheck="false"
        ?readonly=${isLocked}
        .value=${live(open.name)}
        @change=${(event: Event) => void model.rename(typedInto(event))}
      />
      <div class="layouts" role="group" aria-label="Layout">
        ${layoutButton('write', 'pen', 'Write', layout, model)}
        ${layoutButton('split', 'columns', 'Write and read', layout, model)}
        ${layoutButton('read', 'book', 'Read', layout, model)}
      </div>
      ${canExport ? iconButton('export', 'Export as HTML', () => void model.exportNote(), false) : nothing}
      ${iconButton('trash', 'Delete note', () => void model.remove(), isLocked)}
    </header>
    <textarea
      class="editor"
      aria-label="Text"
      placeholder="Write…"
      spellcheck="false"
      ?readonly=${isLocked}
      .value=${live(open.text)}
      @input=${(event: InputEvent) => model.edit(typedInto(event))}
    ></textarea>
    <article class="preview" aria-label="Preview">
      ${guard([open.text], () => renderMarkdown(open.text))}
    </article>
  `
}

function emptyPage({ isLocked }: NotebookState, model: NotebookModel): TemplateResult {
  return html`
    <div class="empty">
      ${icon('drop')}
      <p>Nothing written yet.</p>
      <button class="primary" ?disabled=${isLocked} @click=${() => void model.create()}>Write a note</button>
    </div>
  `
}

function notice({ notice }: NotebookState, model: NotebookModel): TemplateResult | typeof nothing {
  if (!notice) return nothing
  return html`
    <span>${notice.text}</span>
    ${notice.undo ? html`<button @click=${() => void notice.undo?.()}>Undo</button>` : nothing}
    <button aria-label="Dismiss" @click=${() => model.dismissNotice()}>${icon('cross')}</button>
  `
}

function layoutButton(
  layout: Layout,
  symbol: Icon,
  label: string,
  current: Layout,
  model: NotebookModel,
): TemplateResult {
  return html`
    <button
      class="icon-button"
      title=${label}
      aria-label=${label}
      aria-pressed=${layout === current ? 'true' : 'false'}
      @click=${() => model.setLayout(layout)}
    >
      ${icon(symbol)}
    </button>
  `
}

function iconButton(symbol: Icon, label: string, onClick: () => void, isDisabled: boolean): TemplateResult {
  return html`
    <button class="icon-button" title=${label} aria-label=${label} ?disabled=${isDisabled} @click=${onClick}>
      ${icon(symbol)}
    </button>
  `
}

const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const hourFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

function excerptLine({ modifiedAt, excerpt }: NoteSummary): string {
  const date = new Date(modifiedAt)
  const isToday = date.toDateString() === new Date().toDateString()
  return `${(isToday ? hourFormat : dayFormat).format(date)}  ${excerpt}`
}

function typedInto(event: Event): string {
  const { target } = event
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.value : ''
}
