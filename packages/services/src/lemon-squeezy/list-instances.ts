import { checkedList } from '../contract/checked-list.ts'
import type { Activation, ActivationList, LicenseFacts } from '../contract/license-facts.ts'
import type { Outcome } from '../contract/outcome.ts'
import { answer } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { send, undocumented } from '../http/send.ts'
import { instancePageSchema, listedInstanceSchema } from './instance-page.ts'
import { activationOf } from './read-license.ts'

/** Maximum number of pages of 100 devices. With more devices, the list is incomplete. */
const maxPages = 50

/** Lists a license's instances with the vendor's API key. */
export async function listInstances(
  baseUrl: string,
  apiKey: string,
  { id, seatsInUse }: LicenseFacts & { readonly id: string },
  call: ServiceCall | undefined,
): Promise<Outcome<ActivationList>> {
  const activations: Activation[] = []
  let isWhole = true
  let serverDateMs: number | null = null
  for (let page = 1; page <= maxPages; page += 1) {
    const query = new URLSearchParams({
      'filter[license_key_id]': id,
      'page[number]': String(page),
      'page[size]': '100',
    })
    const reply = await send(
      {
        method: 'GET',
        url: `${baseUrl}/v1/license-key-instances?${query}`,
        headers: { accept: 'application/vnd.api+json', authorization: `Bearer ${apiKey}` },
      },
      call,
    )
    if (reply.kind !== 'reply') return reply
    const parsed = instancePageSchema.safeParse(reply.body)
    if (reply.status !== 200 || !parsed.success) return undocumented(reply)
    serverDateMs = reply.serverDateMs
    for (const item of parsed.data.data) {
      const listed = listedInstanceSchema.safeParse(item)
      // If the service ignored the filter, this would be another customer's device.
      if (!listed.success || (listed.data.attributes.license_key_id ?? id) !== id) isWhole = false
      else {
        const { identifier, name, created_at } = listed.data.attributes
        activations.push(activationOf(identifier, name, created_at))
      }
    }
    if (page >= parsed.data.meta.page.lastPage) {
      return checkedList({ activations, isWhole, serverDateMs }, seatsInUse, 'apiKey')
    }
  }
  return answer({ activations, isWhole: false }, serverDateMs)
}
