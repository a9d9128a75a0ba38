/** Longest name that is sent, in UTF-16 units. */
const maxNameLength = 64

/** `<device name> [<fingerprint>]` for a service that knows names only. A long device name is shortened. */
export function composeActivationName(deviceName: string, fingerprint: string): string {
  const mark = `[${fingerprint}]`
  const room = maxNameLength - mark.length - 1
  const shown = deviceName.trim().slice(0, room)
  // Half an emoji is not a character.
  const name = shown.replace(/[\uD800-\uDBFF]$/u, '').trim()
  return name === '' ? mark : `${name} ${mark}`
}

/** Takes such a name apart. A device name may itself hold brackets: the last pair counts. */
export function parseActivationName(name: string): {
  readonly deviceName: string
  readonly fingerprint: string | null
} {
  const text = name.trim()
  const start = Math.max(0, text.lastIndexOf('['))
  const last = text.slice(start)
  return /^\[[\da-f]{16}\]$/iu.test(last)
    ? { deviceName: text.slice(0, start).trimEnd(), fingerprint: last.slice(1, -1).toLowerCase() }
    : { deviceName: text, fingerprint: null }
}
