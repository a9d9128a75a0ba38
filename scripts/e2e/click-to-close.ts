import type { Locator } from 'playwright'

/** Clicks a button that closes its own window, and waits until the window is closed. */
export async function clickToClose(button: Locator): Promise<void> {
  const page = button.page()
  const closed = page.isClosed() ? null : page.waitForEvent('close')
  // A window that also closes by itself may already have done so, and one that closes on a click may be gone before it
  // can confirm the click.
  const clicked = button.click().catch((error: unknown) => {
    if (!String(error).includes('has been closed')) throw error
  })
  await Promise.all([clicked, closed])
}
