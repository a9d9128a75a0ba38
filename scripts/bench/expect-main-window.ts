/**
 * Makes sure that a launch that was measured is one of an activated app.
 *
 * @param url the page of its first window.
 * @throws Error when that is not the example's main window: an activation window would be measured in its place.
 */
export function expectMainWindow(url: string): void {
  if (/^file:.*\/renderer\/index\.html$/u.test(url)) return
  throw new Error(`The launch opened ${url === '' ? 'a window without a page' : url}, not the main window.`)
}
