const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/
const bareDayLength = 'YYYY-MM-DD'.length
const dayMs = 86_400_000

/**
 * Parses a timestamp of the service, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
 *
 * Also accepts any number of fractional digits, a space instead of `T`, and an offset instead of `Z`. Without either it
 * is UTC, regardless of this computer's time zone. A date without a time is the start of that day. Digits below a
 * millisecond are dropped, because a `Date` can't hold them.
 *
 * @returns the date; `null` if the text is invalid, such as `0000-00-00 00:00:00` or 30 February.
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
  // Engines read 30 February as a day in March instead of rejecting it.
  if (!new Date(wallClockMs).toISOString().startsWith(wallClock)) return null
  if (sign === undefined) return new Date(wallClockMs)
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return new Date(sign === '+' ? wallClockMs - offsetMs : wallClockMs + offsetMs)
}

/**
 * Parses the end of something, such as a license. Works like {@link toDate}, but a date without a time is the end of
 * that day: a license that "expires on 31 December" can be used on that day.
 */
export function toEndDate(timestamp: string): Date | null {
  const date = toDate(timestamp)
  return date !== null && timestamp.length === bareDayLength ? new Date(date.getTime() + dayMs) : date
}
