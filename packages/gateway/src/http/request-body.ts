import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from './reply.ts'
import { isId, uuidOnly } from './routes.ts'

/** In bytes: about ten times the size of the longest valid body of a license route. */
const maxBodyBytes = 4096

const uuidSchema = z.pipe(
  z.string().check(z.regex(uuidOnly)),
  z.transform((id: string) => id.toLowerCase()),
)

/** The body of *validate* and *deactivate*. */
export interface KeyBody {
  key: string
  /** The device's fingerprint, which some services require. */
  fingerprint?: string | undefined
}

/** Parses a {@link KeyBody} whose key is a commerce UUID. */
export const keyBodySchema: z.ZodMiniType<KeyBody> = z.object({ key: uuidSchema })

/** Parses a {@link KeyBody} of any service. */
export const anyKeyBodySchema: z.ZodMiniType<KeyBody> = z.object({
  key: z.string().check(z.refine(isId)),
  fingerprint: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
})

/** Parses the body of *activate*. The name is one line and not blank. */
export const nameBodySchema: z.ZodMiniType<{ name: string }> = z.object({
  name: z.string().check(z.maxLength(255), z.regex(/\S/), z.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u)),
})

/** The parsed body, or the refusal to send. */
export type BodyReading<Body> =
  | { readonly holds: true; readonly body: Body }
  | { readonly holds: false; readonly refusal: Reply }

/** Reads a request's JSON body and parses it with a schema. @param maxBytes longer bodies are refused. */
export async function readBody<Body>(
  context: Context,
  schema: z.ZodMiniType<Body>,
  maxBytes: number = maxBodyBytes,
): Promise<BodyReading<Body>> {
  if (!isPlainJson(context)) return fails(415, 'json-only')
  try {
    if (await isTooLarge(context, maxBytes)) return fails(413, 'body-too-large')
    const text = await context.req.raw.text()
    // Not every runtime enforces Content-Length, so a body may be longer than declared.
    if (text.length > maxBytes) return fails(413, 'body-too-large')
    const reading = schema.safeParse(JSON.parse(text))
    return reading.success ? { holds: true, body: reading.data } : fails(400, 'invalid-body')
  } catch {
    return fails(400, 'invalid-body')
  }
}

function isPlainJson({ req }: Context): boolean {
  const type = req.header('content-type') ?? ''
  const encoding = req.header('content-encoding') ?? 'identity'
  return /^application\/json\s*(;|$)/i.test(type) && encoding.toLowerCase() === 'identity'
}

/** Refuses by the declared length, or else counts the bytes while they are read. */
async function isTooLarge(context: Context, maxBytes: number): Promise<boolean> {
  const limit = bodyLimit({ maxSize: maxBytes, onError: () => new Response(null, { status: 413 }) })
  return (await limit(context, async () => {})) !== undefined
}

function fails<Body>(status: number, code: GatewayCode): BodyReading<Body> {
  return { holds: false, refusal: refused(status, code) }
}
