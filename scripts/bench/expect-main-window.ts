/**
 * Verifies that a measured launch was that of an activated app.
 *
 * @param url the page of its first window.
 * @throws Error if it isn't the example's main window: the bench would measure an activation window instead.
 */
export function expectMainWindow(url: string): void {
  if (/^file:.*\/renderer\/index\.html$/u.test(url)) return
  throw new Error(`The launch opened ${url === '' ? 'a window without a page' : url}, not the main window.`)
}
