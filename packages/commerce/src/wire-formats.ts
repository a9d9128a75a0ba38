import * as z from 'zod/mini'

/** A UUID of any version. */
export const uuidSchema: z.ZodMiniType<string> = z.guid()

/**
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`, and its near relatives: a service that sends three fractional digits one day is not
 * a reason to lock anyone out.
 */
export const timestampSchema: z.ZodMiniType<string> = z
  .string()
  .check(z.regex(/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:?\d{2})?$/))
