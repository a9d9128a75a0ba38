import * as z from 'zod/mini'
import { uuidSchema } from '../formats/wire-formats.ts'

/** An item of the customer list. The service's further fields are undocumented and are dropped. */
export interface Customer {
  /** UUID of the customer. */
  id: string
  name: string
  email: string
}

/** Parses a {@link Customer} and drops unknown fields. */
export const customerSchema: z.ZodMiniType<Customer> = z.object({
  id: uuidSchema,
  name: z.string(),
  email: z.string(),
})
