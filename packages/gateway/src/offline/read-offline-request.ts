import {
  type OfflineRequest,
  type OfflineTextFault,
  type ReleaseCode,
  type ReleaseCodeFault,
  type ReleaseTicketKey,
  readOfflineRequest,
  readReleaseCode,
} from '@latchkey/services/offline'

import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { type Reply, refused } from '../http/reply.ts'
import { readBody } from '../http/request-body.ts'
import { isId } from '../http/routes.ts'

/** The code for each text that isn't a request. */
const requestCodes: Readonly<Record<OfflineTextFault, GatewayCode>> = {
  'too-long': 'body-too-large',
  nothing: 'no-offline-request',
  'other-kind': 'no-offline-request',
  'online-lease': 'no-offline-request',
  torn: 'offline-request-torn',
  newer: 'offline-request-newer',
}

/** The code for each text that isn't a usable release code. */
const releaseCodes: Readonly<Record<ReleaseCodeFault, GatewayCode>> = {
  ...requestCodes,
  torn: 'release-code-torn',
  edited: 'release-code-edited',
  'unknown-key': 'release-code-unknown-key',
}

/** In bytes. A request may be pasted with the whole email around it. */
const maxBodyBytes = 65_536

/** The body of `POST /offline`. */
export interface OfflineBody {
  /** The text of the request, or a release code. */
  request: string
  /**
   * `activate` answers the request. The page also asks what a request contains (`show`), which devices the license has
   * (`devices`), and to free the seat of one (`release`). With a release code, `free` frees its seat, and `show` says
   * which one. @default 'activate', or 'free' with a release code
   */
  action?: 'activate' | 'show' | 'devices' | 'release' | 'free' | undefined
  /** Which device to release. */
  device?: string | undefined
  /** Whether to return the answer as a QR code, too. */
  code?: boolean | undefined
}

const bodySchema: z.ZodMiniType<OfflineBody> = z.object({
  request: z.string(),
  action: z.optional(z.enum(['activate', 'show', 'devices', 'release', 'free'])),
  device: z.optional(z.string().check(z.refine(isId))),
  code: z.optional(z.boolean()),
})

/** What `POST /offline` was asked with, or the refusal to send. */
export type OfflineReading =
  | { readonly holds: true; readonly request: OfflineRequest; readonly body: OfflineBody }
  | { readonly holds: true; readonly release: ReleaseCode; readonly body: OfflineBody }
  | { readonly holds: false; readonly refusal: Reply }

/** Reads the body of `POST /offline`. @param keys the keys that sign answers. */
export async function readOfflineBody(
  context: Context,
  keys: () => Promise<readonly ReleaseTicketKey[]>,
): Promise<OfflineReading> {
  const reading = await readBody(context, bodySchema, maxBodyBytes)
  if (!reading.holds) return reading
  const { body } = reading
  const refuse = (code: GatewayCode): OfflineReading => ({ holds: false, refusal: refused(400, code) })
  const read = readOfflineRequest(body.request)
  if (read.ok) {
    const { request } = read
    if (!isId(request.licenseKey)) return refuse('no-offline-request')
    return body.action === 'free' ? refuse('invalid-body') : { holds: true, request, body }
  }
  if (read.fault !== 'other-kind') return refuse(requestCodes[read.fault])
  const found = await readReleaseCode(body.request, await keys())
  if (!found.ok) return refuse(releaseCodes[found.fault])
  const { action = 'free' } = body
  return action === 'free' || action === 'show'
    ? { holds: true, release: found.release, body: { ...body, action } }
    : refuse('no-offline-request')
}
