import { findBridge } from '../renderer/find-bridge.ts'
import { licensing } from '../renderer/licensing.ts'
import { createLicensingClient, type LicensingClient } from '../renderer/licensing-client.ts'
import { type PageStart, pageStartId } from '../shared/page-start.ts'
import { openPage } from './open-page.ts'
import type { ActivationStrings } from './strings/activation-strings.ts'

const longestPaintMs = 250

const element = document.getElementById(pageStartId)
const { state, screen, strings, locale }: PageStart<ActivationStrings> = JSON.parse(
  element?.textContent ?? '',
)
// It may hold a key from a link, and that belongs into the field alone.
element?.remove()

afterFirstPaint(() => {
  openPage({ ...connect(), screen: async () => screen }, async () => ({ strings, locale }))
})

/** Licensing that knows its first state; the one that says what is wrong where there is no bridge. */
function connect(): LicensingClient {
  try {
    return createLicensingClient(findBridge(), state)
  } catch {
    return licensing
  }
}

/** Lets the initial render go before. A page that is not painted, being covered or minimised, does not wait for it. */
function afterFirstPaint(callback: () => void): void {
  const run = (): void => {
    clearTimeout(timer)
    observer.disconnect()
    callback()
  }
  const timer = setTimeout(run, longestPaintMs)
  const observer = new PerformanceObserver(run)
  observer.observe({ type: 'paint', buffered: true })
}
