import { standingAlone } from './standing-alone.ts'

/** Matches keys in an unknown format: groups of letters and digits, at least 12 characters, with both of them. */
export function groupedForm(): RegExp {
  return standingAlone('(?=[\\w-]{12})(?=[\\w-]*\\d)(?=[\\w-]*[A-Za-z])[A-Za-z\\d]+(?:-[A-Za-z\\d]+)+')
}
