import * as z from 'zod/mini'
import { type DodoInstance, text } from './wire.ts'

// https://docs.dodopayments.com/api-reference/licenses/get-license-keys
// Apps have no API key, so these schemas aren't loaded with the others.

/** An item of `GET /license_keys`. */
export interface DodoLicenseKey {
  id: string
  key: string
  product_id?: string | null | undefined
  status?: string | null | undefined
  activations_limit?: number | null | undefined
  instances_count?: number | null | undefined
  expires_at?: string | null | undefined
}

const count = z.catch(z.nullish(z.number()), undefined)

export const pageSchema: z.ZodMiniType<{ items: unknown[] }> = z.object({ items: z.array(z.unknown()) })

export const licenseKeySchema: z.ZodMiniType<DodoLicenseKey> = z.object({
  id: z.string(),
  key: z.string(),
  product_id: text,
  status: text,
  activations_limit: count,
  instances_count: count,
  expires_at: text,
})

export const instanceSchema: z.ZodMiniType<DodoInstance> = z.object({
  id: z.string(),
  license_key_id: text,
  name: text,
  created_at: text,
})
