/// <reference lib="dom" />

import type { Page } from 'playwright'

/**
 * Waits until a window's page is on the display, as its user does. Chromium drops every key that is pressed before,
 * and Playwright finds a text as soon as the page holds it.
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
