import { ipcRenderer } from 'electron'
import { activationPageUrl } from '../shared/activation-screen.ts'
import { eventChannels } from '../shared/licensing-bridge.ts'
import { exposeLicensing } from './index.ts'

exposeLicensing()
reportHeight()

/**
 * Sends the height of the activation window's page to the main process when it changes. Does nothing on other pages.
 */
function reportHeight(): void {
  if (location.href !== activationPageUrl) return
  addEventListener('DOMContentLoaded', () => {
    const { documentElement } = document
    new ResizeObserver(() => {
      ipcRenderer.send(eventChannels.pageHeight, Math.round(documentElement.getBoundingClientRect().height))
    }).observe(documentElement)
  })
}
