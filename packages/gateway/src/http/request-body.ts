import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from './reply.ts'

/** In bytes: about ten times the size of the longest valid body of a license route. */
const maxBodyBytes = 4096

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
  return readText(context, maxBytes, (text) => schema.parse(JSON.parse(text)))
}

/**
 * Reads the fields of a form's body and parses them with a schema.
 *
 * @param maxBytes longer texts are refused. A form writes a byte of most alphabets as three.
 * @throws {RefusedRequest} if it isn't a body of the schema.
 */
export async function readForm<Body>(
  context: Context,
  schema: z.ZodMiniType<Body>,
  maxBytes: number,
): Promise<Body> {
  return readText(context, 3 * maxBytes, (text) =>
    schema.parse(Object.fromEntries(new URLSearchParams(text))),
  )
}

async function readText<Body>(
  context: Context,
  maxBytes: number,
  parse: (text: string) => Body,
): Promise<Body> {
  // Refuses by the declared length, or else counts the bytes while they are read.
  const limit = bodyLimit({ maxSize: maxBytes, onError: () => new Response() })
  const tooLarge = new RefusedRequest(413, 'body-too-large')
  try {
    if ((await limit(context, async () => {})) !== undefined) throw tooLarge
    const text = await context.req.raw.text()
    // Not every runtime enforces Content-Length, so a body may be longer than declared.
    if (text.length > maxBytes) throw tooLarge
    return parse(text)
  } catch (error) {
    throw error === tooLarge ? tooLarge : new RefusedRequest(400, 'invalid-body')
  }
}

function isPlainJson({ req }: Context): boolean {
  const type = req.header('content-type') ?? ''
  const encoding = req.header('content-encoding') ?? 'identity'
  return /^application\/json\s*(;|$)/i.test(type) && encoding.toLowerCase() === 'identity'
}
