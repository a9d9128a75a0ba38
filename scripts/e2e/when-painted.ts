/// <reference lib="dom" />

import type { Page } from 'playwright'

/**
 * Waits until a window's page is on the display, like its user does. Chromium drops keys that are pressed earlier, and
 * Playwright finds a text as soon as it is in the page.
 */
export async function whenPainted(page: Page): Promise<Page> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const observer = new PerformanceObserver(() => {
          observer.disconnect()
          resolve()
        })
        observer.observe({ type: 'paint', buffered: true })
      }),
  )
  return page
}
