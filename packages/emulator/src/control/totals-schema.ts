import * as z from 'zod/mini'
import type { TotalsPatch } from '../data/service-data.ts'
import { knownFields } from './known-fields.ts'

const count = z.optional(z.int().check(z.nonnegative()))

/** New lengths of the seeded lists. */
export const totalsSchema: z.ZodMiniType<TotalsPatch> = knownFields({ customers: count, discounts: count })
