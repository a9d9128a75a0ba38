import type { ActivationList } from './license-facts.ts'
import type { Outcome } from './outcome.ts'
import { answer, unavailable } from './outcomes.ts'

/** A list of activations that was read to its end. */
interface ReadList extends ActivationList {
  readonly serverDateMs: number | null
}

/**
 * Compares a list with the number of activations that the license itself reports. A vendor's secret may only see the
 * activations of its own account, mode, or product, and then lists fewer without an error.
 *
 * @param seatsInUse what the license reports; `null` if it doesn't.
 * @param secret the option with the secret that authorized the list; `null` if it was the license key.
 */
export function checkedList(
  { activations, isWhole, serverDateMs }: ReadList,
  seatsInUse: number | null,
  secret: string | null,
): Outcome<ActivationList> {
  const expected = seatsInUse ?? 0
  if (isWhole && expected > 0 && activations.length === 0 && secret !== null) {
    const detail = `${secret} lists none of the seats in use (${expected}): check its account, product, and mode`
    return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs, detail })
  }
  return answer<ActivationList>(
    { activations, isWhole: isWhole && expected <= activations.length },
    serverDateMs,
  )
}
