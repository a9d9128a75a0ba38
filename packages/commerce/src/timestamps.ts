const pattern =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?$/

/**
 * Reads a timestamp of the service, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
 *
 * Tolerant where it costs no clarity: any number of fractional digits or none, a space for the `T`, an offset for the
 * `Z`. Without either it counts as UTC. Digits beyond the millisecond are cut off, for a `Date` holds no more.
 *
 * @returns the moment, or `null` when the text is not one (a bare day is none, nor is 30 February).
 */
export function toDate(timestamp: string): Date | null {
  const match = pattern.exec(timestamp)
  if (match === null) return null
  const [
    ,
    year,
    month,
    day,
    hours,
    minutes,
    seconds = '00',
    fraction = '',
    ,
    sign,
    offsetHours,
    offsetMinutes,
  ] = match
  const wallClock = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`
  const wallClockMs = Date.parse(`${wallClock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  if (Number.isNaN(wallClockMs)) return null
  // Engines roll 30 February over to March instead of refusing it.
  if (!new Date(wallClockMs).toISOString().startsWith(wallClock)) return null
  if (sign === undefined) return new Date(wallClockMs)
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return new Date(sign === '+' ? wallClockMs - offsetMs : wallClockMs + offsetMs)
}
