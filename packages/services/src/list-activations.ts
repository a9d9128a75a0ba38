import {
  type Activation,
  type ActivationList,
  answer,
  type Outcome,
  type Refusal,
  type Unavailable,
  unavailable,
} from './license-service.ts'

/** One page of a list of activations. */
export interface ActivationPage {
  readonly kind: 'page'
  /** An item that can't be read is `null`. */
  readonly items: readonly (Activation | null)[]
  readonly isLast: boolean
  readonly serverDateMs: number | null
}

/** Maximum number of pages. With more, the list is incomplete. */
const maxPages = 100

/**
 * Reads a list to its end, and compares it with the number of activations that the license itself reports. A vendor's secret
 * may only see the activations of its own account, mode, or product, and then lists fewer without an error.
 *
 * @param readPage reads a page. Pages are counted from 0.
 * @param seatsInUse what the license reports; `null` if it doesn't.
 * @param secret the option with the secret that authorizes the list; `null` if it is the one that found the license.
 */
export async function readActivations(
  readPage: (page: number) => Promise<ActivationPage | Refusal | Unavailable>,
  seatsInUse: number | null,
  secret: string | null,
): Promise<Outcome<ActivationList>> {
  const activations = new Map<string, Activation>()
  const expected = seatsInUse ?? 0
  let isWhole = true
  for (let number = 0; number < maxPages; number += 1) {
    const page = await readPage(number)
    if (page.kind !== 'page') return page
    for (const item of page.items) {
      if (item === null) isWhole = false
      else activations.set(item.id, item)
    }
    if (!page.isLast) continue
    const { serverDateMs } = page
    if (isWhole && expected > 0 && activations.size === 0 && secret !== null) {
      const detail = `${secret} lists none of the seats in use (${expected}): check its account, product, and mode`
      return unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs, detail })
    }
    const list = { activations: [...activations.values()], isWhole: isWhole && expected <= activations.size }
    return answer<ActivationList>(list, serverDateMs)
  }
  return answer({ activations: [...activations.values()], isWhole: false }, null)
}
