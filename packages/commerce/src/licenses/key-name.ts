/** The parts of a key's name. */
export interface KeyName {
  /** Readable name of the device. */
  readonly label: string
  /** 16 lower-case hex digits; `null` for a key that Latchkey didn't create. */
  readonly fingerprint: string | null
}

/**
 * Maximum length of a name that is sent to the commerce service, in UTF-16 units. The service documents no limit, so it
 * may cut names to 64, 50 or 32 characters. A name without its fingerprint costs another seat after every reinstall.
 */
const maxSentLength = 32
/** How many characters to keep from the end of a long label, which often distinguishes the computers of a fleet. */
const keptEndLength = 4

/**
 * Composes an activation's name: `<device label> [<device fingerprint>]`. In a long label, the middle becomes `…`. The
 * fingerprint is never shortened.
 *
 * @param label readable name of the device.
 * @param fingerprint 16 hex digits.
 * @param maxLength maximum length of the name in UTF-16 units. The default, 32, is for a name that the commerce service
 * stores. Pass `Infinity` for a name that is only shown or parsed again.
 */
export function composeKeyName(
  label: string,
  fingerprint: string,
  maxLength: number = maxSentLength,
): string {
  const mark = `[${fingerprint}]`
  return `${shorten(label.trim(), maxLength - mark.length - 1)} ${mark}`.trim()
}

/**
 * Parses a key's name, regardless of case and white space. If the label contains brackets, the last pair with a
 * fingerprint in it counts.
 */
export function parseKeyName(name: string): KeyName {
  const found = [...name.matchAll(/\[([0-9a-f]{16})\]/giu)].at(-1)
  if (found === undefined) return { label: name.trim(), fingerprint: null }
  const [mark, fingerprint = ''] = found
  const before = name.slice(0, found.index).trimEnd()
  const after = name.slice(found.index + mark.length).trimStart()
  return { label: `${before} ${after}`.trim(), fingerprint: fingerprint.toLowerCase() }
}

function shorten(label: string, room: number): string {
  if (label.length <= room) return label
  const points = [...label]
  const start = takeWhileFits(points, room - keptEndLength - 1)
  const end = [...takeWhileFits([...points].reverse(), keptEndLength)].reverse()
  return `${start.join('').trimEnd()}…${end.join('').trimStart()}`
}

function takeWhileFits(points: readonly string[], room: number): readonly string[] {
  let length = 0
  return points.filter((point) => {
    length += point.length
    return length <= room
  })
}
