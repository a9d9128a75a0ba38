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
        // A page's background is painted first.
        const observer = new PerformanceObserver((list) => {
          if (list.getEntriesByName('first-contentful-paint').length === 0) return
          observer.disconnect()
          resolve()
        })
        observer.observe({ type: 'paint', buffered: true })
      }),
  )
  return page
}
