import * as z from 'zod/mini'
import { uuidSchema } from './wire-formats.ts'

/** An item of the customer list. The service has further fields that are not documented; they are dropped. */
export interface Customer {
  /** UUID of the customer. */
  id: string
  name: string
  email: string
}

/** Reads a {@link Customer}; fields it does not know are dropped. */
export const customerSchema: z.ZodMiniType<Customer> = z.object({
  id: uuidSchema,
  name: z.string(),
  email: z.string(),
})
