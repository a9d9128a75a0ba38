/** What an administrator's command line asks for. */
export type Command =
  | { readonly name: 'activate'; readonly text: string }
  | { readonly name: 'deactivate' }
  | { readonly name: 'license-status'; readonly isJson: boolean }
  | { readonly name: 'unusable'; readonly problem: string }

/**
 * Finds the command among the arguments of the process, whose other words belong to the app, Electron or Chromium.
 *
 * @param words the license key in it is replaced, so that the app can't pass it on by accident.
 * @returns `null` if there is none.
 */
export function takeCommand(words: string[]): Command | null {
  const found: Command[] = []
  for (const [index, word] of words.entries()) {
    if (word === '--deactivate') found.push({ name: 'deactivate' })
    if (word === '--license-status') found.push({ name: 'license-status', isJson: words.includes('--json') })
    if (word !== '--activate' && !word.startsWith('--activate=')) continue
    const isNext = word === '--activate'
    const text = (isNext ? words[index + 1] : word.slice('--activate='.length)) ?? ''
    if (text === '' || (isNext && text.startsWith('--'))) {
      found.push({
        name: 'unusable',
        problem: '--activate needs a license key, or - to read it from standard input.',
      })
    } else {
      found.push({ name: 'activate', text })
      if (text !== '-') words[isNext ? index + 1 : index] = isNext ? '…' : '--activate=…'
    }
  }
  const [command = null, another] = found
  if (another === undefined) return command
  return { name: 'unusable', problem: 'Use one of --activate, --deactivate and --license-status, once.' }
}
