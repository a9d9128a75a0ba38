/** What a key's name says about the device behind it. */
export interface KeyName {
  readonly label: string
  /** 16 lower-case hex digits; `null` for a key that was not made by Latchkey. */
  readonly fingerprint: string | null
}

const pattern = /^(?<label>.*?)\s*\[(?<fingerprint>[0-9a-f]{16})\]\s*$/su

/** `<device label> [<device fingerprint>]`: readable in a device list, matched by the bracketed part alone. */
export function composeKeyName(label: string, fingerprint: string): string {
  return `${label} [${fingerprint}]`
}

/** Takes a key's name apart. A label may itself hold brackets: the last pair counts. */
export function parseKeyName(name: string): KeyName {
  const groups = pattern.exec(name)?.groups
  return groups?.fingerprint === undefined
    ? { label: name.trim(), fingerprint: null }
    : { label: groups.label ?? '', fingerprint: groups.fingerprint }
}
