/**
 * Copies a text. The activation window denies the permission that `navigator.clipboard` needs, but a command that follows
 * a click needs none.
 *
 * @returns whether it was copied.
 */
export function copyText(text: string): boolean {
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, true)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', onCopy, true)
  return isCopied
}
