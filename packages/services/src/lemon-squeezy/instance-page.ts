import * as z from 'zod/mini'
import { type Instance, id, text } from './wire.ts'

// https://docs.lemonsqueezy.com/api/license-key-instances/list-all-license-key-instances
// Apps never list devices, so these schemas aren't loaded with the others.

/** A page of `GET /v1/license-key-instances`. */
export interface InstancePage {
  data: unknown[]
  meta: { page: { currentPage: number; lastPage: number } }
}

/** An item of the page. `identifier` is called `instance_id` in the License API. */
export interface ListedInstance {
  attributes: Omit<Instance, 'id'> & { identifier: string; license_key_id?: string | null | undefined }
}

export const instancePageSchema: z.ZodMiniType<InstancePage> = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ page: z.object({ currentPage: z.number(), lastPage: z.number() }) }),
})

export const listedInstanceSchema: z.ZodMiniType<ListedInstance> = z.object({
  attributes: z.object({
    identifier: z.string(),
    license_key_id: z.catch(z.nullish(id), undefined),
    name: text,
    created_at: text,
  }),
})
