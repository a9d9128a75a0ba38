import { isSameId } from '@latchkey/commerce'
import {
  type OfflineRequest,
  type OfflineTextFault,
  type ReleaseCode,
  type ReleaseCodeFault,
  readOfflineRequest,
  readReleaseCode,
} from '@latchkey/services/offline'
import { html } from 'hono/html'
import * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { answered, notServed, type Reply, refused } from '../http/reply.ts'
import { readBody } from '../http/request-body.ts'
import { isId, uuidOnly } from '../http/routes.ts'
import type { LeaseSigner } from '../leases/lease-signer.ts'
import type { LicenseOutcomes } from '../licenses/license-devices.ts'
import { type DevicesOf, type LicenseDevices, offlineUntilMs } from '../licenses/license-devices.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { runOfflinePage } from '../site/offline-script.ts'
import type { PageRoute, Site } from '../site/site.ts'
import { languageOf } from '../site/site-texts.ts'
import { createOfflineIssuer } from './offline-issuer.ts'

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
const bodySchema = z.object({
  /** The text of the request, or a release code. */
  request: z.string(),
  /**
   * `activate` answers the request. The page also asks what a request contains (`show`), which devices the license has
   * (`devices`), and to free the seat of one (`release`). With a release code, `free` frees its seat, and `show` says
   * which one. By default `activate`, or `free` with a release code.
   */
  action: z.optional(z.enum(['activate', 'show', 'devices', 'release', 'free'])),
  /** Which device to release. */
  device: z.optional(z.string()),
  /** Whether to return the answer as a QR code, too. */
  code: z.optional(z.boolean()),
})

type OfflineBody = z.output<typeof bodySchema>

/** What the routes need. */
export interface OfflineRouteOptions {
  readonly outcomes: LicenseOutcomes
  readonly devices: LicenseDevices
  readonly signer: LeaseSigner
  readonly limits: RequestLimits
  readonly site: Site
  /** How long a device may run on an answer, in days. */
  readonly days: number
  readonly clock: () => number
  /** Whether a service behind the gateway has license keys that aren't UUIDs. */
  readonly takesAnyId: boolean
  /** Whether a device sees all devices of its license, or itself alone. */
  readonly seesAll: boolean
}

/** The reply to `/offline` if it is off. It is a 404 in plain text, like that of any other path that isn't served. */
export const offlineOff: Reply = {
  ...notServed('no-such-route'),
  text: 'Offline activation is not set up on this server. Contact the developer of your app.',
  detail: 'offline activation is off: set LATCHKEY_OFFLINE_DAYS, or the option offline in code',
}

/** The page is drawn by its script, which reads files. */
const noScript = html`<noscript>This page needs JavaScript.</noscript>`
const script = `(${runOfflinePage})(JSON.parse(document.querySelector('#data').textContent))`

/** The request header with which a device frees a seat that it holds for its time without internet. */
const releaseCodeHeader = 'latchkey-release-code'

/** `/offline`, whose `post` answers a request with a signed answer, and what *deactivate* needs of it. */
export interface OfflineRoute extends PageRoute {
  /**
   * Whether *deactivate* may free a seat. Anyone with the license key can send that request, and the answer of a device
   * without internet can't be taken back. So its seat is only freed with the device's release code.
   *
   * @returns the refusal, or `null` if the seat may be freed.
   */
  refusalToFree(licenseKey: string, activationId: string, headers: Headers): Promise<Reply | null>
}

export function createOfflineRoute(options: OfflineRouteOptions): OfflineRoute {
  const { outcomes, devices, signer, limits, site, days, clock, takesAnyId, seesAll } = options
  const issuer = createOfflineIssuer(outcomes, signer, days, clock)

  /** With `devices: 'own'`, a device sees itself alone: no device knows the fingerprint of another one. */
  const seenBy = ({ licenseKey, fingerprint }: OfflineRequest): DevicesOf =>
    seesAll ? { licenseKey } : { licenseKey, only: fingerprint }

  /** Reads a request or a release code. @returns the code of the refusal if it is neither. */
  async function readText(text: string): Promise<OfflineRequest | ReleaseCode | GatewayCode> {
    const read = readOfflineRequest(text)
    if (read.ok) return isId(read.request.licenseKey) ? read.request : 'no-offline-request'
    if (read.fault !== 'other-kind') return requestCodes[read.fault]
    const found = await readReleaseCode(text, await signer.ticketKeys())
    return found.ok ? found.release : releaseCodes[found.fault]
  }

  async function act(about: OfflineRequest | ReleaseCode, body: OfflineBody): Promise<Reply> {
    const { deviceName: device, app, licenseKey } = about
    const shown = { device, license: masked(licenseKey), app }
    if ('deactivatedAtMs' in about) {
      const { action = 'free' } = body
      const deactivatedAt = new Date(about.deactivatedAtMs).toISOString()
      if (action === 'show') return answered({ ...shown, deactivatedAt })
      return action === 'free' ? issuer.free(about) : refused(400, 'no-offline-request')
    }
    switch (body.action ?? 'activate') {
      case 'show':
        return answered(shown)
      case 'activate':
        return issuer.answer(about, body.code === true)
      case 'devices': {
        const listed = await devices.list(seenBy(about))
        return 'status' in listed ? listed : answered(listed)
      }
      case 'release': {
        const outcome = await devices.release(seenBy(about), body.device ?? '')
        return 'status' in outcome ? outcome : answered({ released: outcome.released !== null })
      }
      case 'free':
        return refused(400, 'invalid-body')
    }
  }

  return {
    async refusalToFree(licenseKey, activationId, headers) {
      const listed = await outcomes.listActivations({ licenseKey })
      if (listed.kind === 'refusal') return null
      if (listed.kind === 'unavailable') {
        const { code } = listed.reply
        // Where the list can never be had, no device was activated without internet.
        return code === 'list-not-allowed' || code === 'list-unreadable' ? null : listed.reply
      }
      const found = listed.value.activations.find(({ id }) => isSameId(id, activationId))
      if (found === undefined || (offlineUntilMs(found, days) ?? 0) <= clock()) return null
      const given = await readReleaseCode(headers.get(releaseCodeHeader) ?? '', await signer.ticketKeys())
      return given.ok && isSameId(given.release.activationId, found.id) ? null : refused(422, 'offline-seat')
    },
    page(request) {
      const spoken = languageOf(request.headers)
      const { title } = spoken.texts
      return site({ ...spoken, title, content: noScript, script, data: spoken.texts })
    },
    async post(context, trace) {
      const overLimit = await limits.ofAddress(context.req.raw, trace)
      if (overLimit !== null) return overLimit
      const body = await readBody(context, bodySchema, maxBodyBytes)
      const about = await readText(body.request)
      if (typeof about === 'string') return refused(400, about)
      const licenseKey = takesAnyId ? about.licenseKey : about.licenseKey.toLowerCase()
      // Everything else becomes a part of a path at the service.
      if (!takesAnyId && !uuidOnly.test(licenseKey)) return refused(404, 'not-found')
      trace.licenseId = licenseKey
      const overLicenseLimit = await limits.ofLicense(trace)
      if (overLicenseLimit !== null) return overLicenseLimit
      return limits.unlessGuessing(context.req.raw, trace, () => act({ ...about, licenseKey }, body))
    },
  }
}

/** The first and last characters of a license key, enough to recognize it. */
function masked(licenseKey: string): string {
  const count = Math.min(4, Math.floor(licenseKey.length / 6))
  return count === 0 ? '••••' : `${licenseKey.slice(0, count)}••••${licenseKey.slice(-count)}`
}
