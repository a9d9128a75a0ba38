import { createNotebookModel, type NotebookModel } from './notebook-state.ts'
import { mountNotebook } from './notebook-view.ts'

/** Starts the notebook in the page. */
export function startNotebook(): NotebookModel {
  const model = createNotebookModel()
  mountNotebook(pageElement('notebook'), model)
  return model
}

/** Returns an element that the page's HTML must contain. */
export function pageElement(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no element #${id}.`)
  return element
}
