import * as z from 'zod/mini'
import { toDate } from './timestamps.ts'
import { isAnyId } from './uuid.ts'

/** A UUID of any version, in either letter case. */
export const uuidSchema: z.ZodMiniType<string> = z.guid()

/** An id of any form, as a gateway in front of another service has them. */
export const anyIdSchema: z.ZodMiniType<string> = z.string().check(z.refine(isAnyId))

/**
 * A date that a decision depends on. A missing field means the same as `null`: there is none. Text that {@link toDate}
 * can't parse makes the whole answer unreadable, so that it never counts as "no end" or "not suspended".
 */
export const decisiveDateSchema: z.ZodMiniType<string | null> = z._default(
  z.nullable(z.string().check(z.refine((text) => toDate(text) !== null))),
  null,
)

/** A text that no decision depends on; `null` if it is missing or has another type. */
export const optionalTextSchema: z.ZodMiniType<string | null> = z.catch(z.nullable(z.string()), null)

/**
 * A non-negative count that is only displayed, or compared if known; `null` if it is missing, huge or of another type.
 */
export const optionalCountSchema: z.ZodMiniType<number | null> = z.catch(
  z.nullable(z.int().check(z.gte(0))),
  null,
)
