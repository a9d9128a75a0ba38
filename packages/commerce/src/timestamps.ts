const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/
const bareDay = /^\d{4}-\d{2}-\d{2}$/
const dayMs = 86_400_000

/**
 * Reads a timestamp of the service, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
 *
 * Tolerant where it costs no clarity: any number of fractional digits or none, a space for the `T`, an offset for the
 * `Z`. Without either it counts as UTC, whatever the time zone of this computer. A bare day counts from its beginning.
 * Digits beyond the millisecond are cut off, for a `Date` holds no more.
 *
 * @returns the moment, or `null` when the text is not one: `0000-00-00 00:00:00`, 30 February, anything else.
 */
export function toDate(timestamp: string): Date | null {
  const match = pattern.exec(timestamp)
  if (match === null) return null
  const [
    ,
    year,
    month,
    day,
    hours = '00',
    minutes = '00',
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

/**
 * Reads a timestamp that ends something, such as a license: like {@link toDate}, but a bare day counts to its end. A
 * license that "expires on 31 December" may be used on that day.
 */
export function toEndDate(timestamp: string): Date | null {
  const date = toDate(timestamp)
  return date !== null && bareDay.test(timestamp) ? new Date(date.getTime() + dayMs) : date
}
