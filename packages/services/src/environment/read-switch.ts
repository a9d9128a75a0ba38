/** What the value of a switch must be, for error messages. */
export const switchRule = 'must be true or false, or 1 or 0'

/**
 * Reads an environment variable that turns something on. An unset or empty one counts as off.
 *
 * @returns `null` if the value is something else.
 */
export function readSwitch(value: string | undefined): boolean | null {
  switch (value?.trim().toLowerCase() ?? '') {
    case '1':
    case 'true':
      return true
    case '':
    case '0':
    case 'false':
      return false
    default:
      return null
  }
}
