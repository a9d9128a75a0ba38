import type { Fetch } from '@latchkey/commerce'
import type { LicenseService } from '@latchkey/services'
import type { Logger } from '../../../core/ports/logger-port.ts'
import { parseUrl } from '../../origin.ts'

/**
 * Warns once if an adapter sends a request elsewhere than to its `baseUrl`. A copy such as `{ ...polar({…}), baseUrl }`
 * still asks the address that `polar()` got, and everything else that is logged names the other one.
 */
export function warnOfAnotherAddress(
  fetch: Fetch,
  { name, baseUrl }: Pick<LicenseService, 'name' | 'baseUrl'>,
  logger: Pick<Logger, 'warn'>,
): Fetch {
  const expected = parseUrl(baseUrl)?.origin
  let isTold = false
  return (request, init) => {
    const asked = parseUrl(request.url)?.origin
    if (!isTold && asked !== expected) {
      isTold = true
      logger.warn(
        `The ${name} adapter asks ${asked}, not its baseUrl, ${expected}. If it is a copy with another baseUrl, pass baseUrl to the function that creates the adapter.`,
      )
    }
    return fetch(request, init)
  }
}
