import { type OfflineRequest, type OfflineTextFault, readOfflineRequest } from '@latchkey/services/offline'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { idOnly } from '../http/ids.ts'
import { type Reply, refused } from '../http/reply.ts'
import { readBody } from '../http/request-body.ts'

/** The code for each text that isn't a request. */
const codes: Readonly<Record<OfflineTextFault, GatewayCode>> = {
  'too-long': 'body-too-large',
  nothing: 'no-offline-request',
  'other-kind': 'no-offline-request',
  'online-lease': 'no-offline-request',
  torn: 'offline-request-torn',
  newer: 'offline-request-newer',
}

/** The body of `POST /offline`. */
export interface OfflineBody {
  /** The text of the request. */
  request: string
  /**
   * `activate` answers the request. The page also asks what a request contains (`show`), which devices the license has
   * (`devices`), and to free the seat of one (`release`). @default 'activate'
   */
  action?: 'activate' | 'show' | 'devices' | 'release' | undefined
  /** Which device to release. */
  device?: string | undefined
  /** Whether to return the answer as a QR code, too. */
  code?: boolean | undefined
}

const bodySchema: z.ZodMiniType<OfflineBody> = z.object({
  request: z.string(),
  action: z.optional(z.enum(['activate', 'show', 'devices', 'release'])),
  device: z.optional(z.string().check(z.regex(idOnly))),
  code: z.optional(z.boolean()),
})

/** Reads the body of `POST /offline`. */
export async function readOfflineBody(
  context: Context,
): Promise<
  | { readonly holds: true; readonly request: OfflineRequest; readonly body: OfflineBody }
  | { readonly holds: false; readonly refusal: Reply }
> {
  const reading = await readBody(context, bodySchema)
  if (!reading.holds) return reading
  const read = readOfflineRequest(reading.body.request)
  return read.ok
    ? { holds: true, request: read.request, body: reading.body }
    : { holds: false, refusal: refused(400, codes[read.fault]) }
}
