/** What a key's name says about the device behind it. */
export interface KeyName {
  readonly label: string
  /** 16 lower-case hex digits; `null` for a key that was not made by Latchkey. */
  readonly fingerprint: string | null
}

const mark = /^\[[0-9a-f]{16}\]$/u

/** `<device label> [<device fingerprint>]`: readable in a device list, matched by the bracketed part alone. */
export function composeKeyName(label: string, fingerprint: string): string {
  return `${label} [${fingerprint}]`
}

/** Takes a key's name apart. A label may itself hold brackets: the last pair counts. */
export function parseKeyName(name: string): KeyName {
  const text = name.trim()
  const start = Math.max(0, text.lastIndexOf('['))
  const last = text.slice(start)
  return mark.test(last)
    ? { label: text.slice(0, start).trimEnd(), fingerprint: last.slice(1, -1) }
    : { label: text, fingerprint: null }
}
