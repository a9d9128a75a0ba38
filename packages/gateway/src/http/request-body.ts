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

/** Thrown for a request that isn't sent to the service. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest'
  readonly reply: Reply

  constructor(status: number, code: GatewayCode) {
    super(code)
    this.reply = refused(status, code)
  }
}

/**
 * Reads a request's JSON body and parses it with a schema.
 *
 * @param maxBytes longer bodies are refused.
 * @throws {RefusedRequest} if it isn't a body of the schema.
 */
export async function readBody<Body>(
  context: Context,
  schema: z.ZodMiniType<Body>,
  maxBytes: number = maxBodyBytes,
): Promise<Body> {
  if (!isPlainJson(context)) throw new RefusedRequest(415, 'json-only')
  // Refuses by the declared length, or else counts the bytes while they are read.
  const limit = bodyLimit({ maxSize: maxBytes, onError: () => new Response() })
  const tooLarge = new RefusedRequest(413, 'body-too-large')
  try {
    if ((await limit(context, async () => {})) !== undefined) throw tooLarge
    const text = await context.req.raw.text()
    // Not every runtime enforces Content-Length, so a body may be longer than declared.
    if (text.length > maxBytes) throw tooLarge
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw error === tooLarge ? tooLarge : new RefusedRequest(400, 'invalid-body')
  }
}

function isPlainJson({ req }: Context): boolean {
  const type = req.header('content-type') ?? ''
  const encoding = req.header('content-encoding') ?? 'identity'
  return /^application\/json\s*(;|$)/i.test(type) && encoding.toLowerCase() === 'identity'
}
