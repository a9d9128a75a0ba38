import type { Layout, NotebookModel } from './notebook-state.ts'

const layouts: readonly Layout[] = ['write', 'split', 'read']

/** Ctrl or Cmd with N: new note; F: search; E: the next layout. */
export function listenForShortcuts(root: HTMLElement, model: NotebookModel): void {
  const focus = (selector: string) => {
    const field = root.querySelector<HTMLInputElement>(selector)
    field?.focus()
    field?.select()
  }
  const actions = new Map<string, () => void>([
    ['n', () => void model.create().then(() => focus('.title'))],
    ['f', () => focus('.search')],
    [
      'e',
      () => model.setLayout(layouts[(layouts.indexOf(model.state.layout) + 1) % layouts.length] ?? 'split'),
    ],
  ])
  window.addEventListener('keydown', (event) => {
    const action = actions.get(event.key.toLowerCase())
    if (!action || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    action()
  })
}
