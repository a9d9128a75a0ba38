import * as z from 'zod/mini'
import { toDate } from './timestamps.ts'

/** A UUID of any version, in either letter case. */
export const uuidSchema: z.ZodMiniType<string> = z.guid()

/**
 * A date that a decision depends on. Absent means the same as `null`: there is none. A text that {@link toDate} can't
 * read makes the whole answer unreadable, so that it never passes for "no end" or "not suspended".
 */
export const decisiveDateSchema: z.ZodMiniType<string | null> = z._default(
  z.nullable(z.string().check(z.refine((text) => toDate(text) !== null))),
  null,
)

/** A text that no decision depends on; `null` when it is absent or something else. */
export const optionalTextSchema: z.ZodMiniType<string | null> = z.catch(z.nullable(z.string()), null)

/** A count from 0 that is only shown or compared where it is known; `null` when it is absent, huge or something else. */
export const optionalCountSchema: z.ZodMiniType<number | null> = z.catch(
  z.nullable(z.int().check(z.gte(0))),
  null,
)
