import { ipcRenderer } from 'electron'
import { eventChannels } from '../shared/ipc-channels.ts'
import { activationPageUrl } from '../shared/page-start.ts'

/** Tells the main process how high the activation window's page is, whenever that changes. Other pages stay as they are. */
export function reportHeight(): void {
  if (location.href !== activationPageUrl) return
  addEventListener('DOMContentLoaded', () => {
    const { documentElement } = document
    new ResizeObserver(() => {
      ipcRenderer.send(eventChannels.pageHeight, Math.round(documentElement.getBoundingClientRect().height))
    }).observe(documentElement)
  })
}
