import type { Locator } from 'playwright'

/** Clicks what closes its own window, and waits until that is gone. */
export async function clickToClose(button: Locator): Promise<void> {
  const page = button.page()
  const closed = page.isClosed() ? null : page.waitForEvent('close')
  // A window that also closes by itself may have done so, and one that closes at a click may be gone before it can
  // say that it was clicked.
  const clicked = button.click().catch((error: unknown) => {
    if (!String(error).includes('has been closed')) throw error
  })
  await Promise.all([clicked, closed])
}
