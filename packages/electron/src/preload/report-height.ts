import { ipcRenderer } from 'electron'
import { eventChannels } from '../shared/ipc-channels.ts'
import { activationPageUrl } from '../shared/page-start.ts'

/**
 * Sends the height of the activation window's page to the main process when it changes. Does nothing on other pages.
 */
export function reportHeight(): void {
  if (location.href !== activationPageUrl) return
  addEventListener('DOMContentLoaded', () => {
    const { documentElement } = document
    new ResizeObserver(() => {
      ipcRenderer.send(eventChannels.pageHeight, Math.round(documentElement.getBoundingClientRect().height))
    }).observe(documentElement)
  })
}
