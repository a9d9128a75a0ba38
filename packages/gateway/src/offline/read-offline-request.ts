import { type OfflineRequest, type OfflineTextFault, readOfflineRequest } from '@latchkey/services/offline'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from '../reply.ts'
import { readBody } from '../request-body.ts'

/** The code for each text that isn't a request. */
const codes: Readonly<Record<OfflineTextFault, GatewayCode>> = {
  'too-long': 'body-too-large',
  nothing: 'no-offline-request',
  'other-kind': 'no-offline-request',
  'online-lease': 'no-offline-request',
  torn: 'offline-request-torn',
  newer: 'offline-request-newer',
}

const bodySchema: z.ZodMiniType<{ request: string }> = z.object({ request: z.string() })

/** Reads the body of `POST /offline`: `{ "request": "<text>" }`. */
export async function readOfflineBody(
  context: Context,
): Promise<
  | { readonly holds: true; readonly request: OfflineRequest }
  | { readonly holds: false; readonly refusal: Reply }
> {
  const reading = await readBody(context, bodySchema)
  if (!reading.holds) return reading
  const read = readOfflineRequest(reading.body.request)
  return read.ok
    ? { holds: true, request: read.request }
    : { holds: false, refusal: refused(400, codes[read.fault]) }
}
