import { contextBridge, ipcRenderer } from 'electron'
import type { NotebookBridge } from '../shared/notebook-bridge.ts'
import { notebookChannels as channels } from '../shared/notebook-channels.ts'

/** Exposes `window.notebook` to the page: one function per action, with plain data. */
export function exposeNotebook(): void {
  const bridge: NotebookBridge = {
    list: (query) => ipcRenderer.invoke(channels.list, query),
    read: (name) => ipcRenderer.invoke(channels.read, name),
    write: (name, text) => ipcRenderer.invoke(channels.write, name, text),
    writeNow: (name, text) => ipcRenderer.sendSync(channels.writeNow, name, text),
    create: () => ipcRenderer.invoke(channels.create),
    rename: (name, newName) => ipcRenderer.invoke(channels.rename, name, newName),
    remove: (name) => ipcRenderer.invoke(channels.remove, name),
    restore: (name) => ipcRenderer.invoke(channels.restore, name),
    exportNote: (name, html) => ipcRenderer.invoke(channels.exportNote, name, html),
    findUpdate: () => ipcRenderer.invoke(channels.findUpdate),
  }
  contextBridge.exposeInMainWorld('notebook', bridge)
}
