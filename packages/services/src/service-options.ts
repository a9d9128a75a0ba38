import { baseUrlOption, isExposed } from '@latchkey/commerce/options'
import * as z from 'zod/mini'

/** The service's address: https:, or http: to this machine. */
export const serviceUrl: z.ZodMiniType<string> = z
  .pipe(baseUrlOption, z.string())
  .check(z.refine((url) => !isExposed(url), 'must be an https:// address, except on this machine'))

/** One ID or several, as a list. @param rule what an ID must be. */
export function oneOrMore(id: z.ZodMiniType<string>, rule: string): z.ZodMiniType<readonly string[]> {
  const ids = z.union([id, z.array(id).check(z.minLength(1, rule))], rule)
  return z.pipe(
    ids,
    z.transform((given) => [given].flat()),
  )
}

/** `null` turns a switch off, as plain JavaScript may set it. */
export const onOrOff: z.ZodMiniType<boolean> = z.pipe(
  z.nullish(z.boolean()),
  z.transform((given) => given === true),
)

/** Options of every adapter. */
export interface ServiceOptions {
  /**
   * Base URL of the requests without `/v1`, for tests with the emulator. https:, or http: to this machine.
   * @default the service's own address
   */
  baseUrl?: string | undefined
  /** URL of the page where customers see their license keys and manage their devices. */
  customerPortal?: string | undefined
}

/** The schemas of {@link ServiceOptions}. */
export const serviceOptions: {
  readonly baseUrl: z.ZodMiniOptional<typeof serviceUrl>
  readonly customerPortal: z.ZodMiniType<string | null>
} = {
  baseUrl: z.optional(serviceUrl),
  customerPortal: z.pipe(
    z.nullish(z.string()),
    z.transform((given) => given ?? null),
  ),
}
