import type { NotebookBridge } from '../shared/notebook-bridge.ts'

declare global {
  interface Window {
    /** See the preload. */
    readonly notebook: NotebookBridge
  }
}
