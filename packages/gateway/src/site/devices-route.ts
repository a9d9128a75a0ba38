import type { Activation } from '@latchkey/services'
import { longestOfflineDays } from '@latchkey/services/offline'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import { answered, notServed, type Reply, refused } from '../http/reply.ts'
import { readBody, readForm } from '../http/request-body.ts'
import type { RequestTrace } from '../http/request-log.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'
import { replyOfRefusal } from '../licenses/replies.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { createOfflineService, offlineUntilMs, unmarkedName } from '../offline/offline-service.ts'
import { sha256, sha256Hex } from '../sha256.ts'
import { createDevicesPages, type DevicesPages, type ShownDevice } from './devices-page.ts'
import type { Site } from './site.ts'
import { languageOf } from './site-texts.ts'

/** The longest pasted text with a license key in it, in bytes of the body. */
const maxBodyBytes = 16_384

const text = z.string().check(z.minLength(1))

/** The JSON body of `POST /devices`: with `device`, it releases that device. */
const jsonSchema = z.object({ licenseKey: text, device: z.optional(text) })

/** The same as a form. The page asks before it releases. */
const formSchema = z.object({
  licenseKey: text,
  device: z.optional(text),
  step: z.optional(z.enum(['list', 'confirm', 'release'])),
})

type Form = z.output<typeof formSchema>

/** What the routes need. */
export interface DevicesRouteOptions {
  readonly operations: LicenseOperations
  readonly limits: RequestLimits
  readonly site: Site
  readonly clock: () => number
  /** Finds the license key in pasted text, in the form to send; `null` if there is none. */
  readonly findLicenseKey: (text: string) => string | null
  /** How long a device runs on an answer; `null` if none is activated without internet now. Earlier answers may still run. */
  readonly offlineDays: number | null
}

/** The reply to `/devices` if it is off. */
export const devicesOff: Reply = {
  ...notServed('no-such-route'),
  text: 'Devices can’t be shown on this server. Contact the developer of your app.',
  detail: 'the page for devices is off: set LATCHKEY_DEVICES_PAGE=1, or the option devicesPage in code',
}

/** The reply to a form of another site. Only a browser sends forms, so only a browser gets this. */
const otherSite: Reply = refused(403, 'other-site')

/** A device, and its activation at the service. */
interface Listed {
  readonly shown: ShownDevice
  readonly activation: Activation
}

/** The handlers of `/devices`. */
export interface DevicesRoutes {
  readonly get: (context: Context, trace: RequestTrace) => Promise<Reply>
  readonly post: (context: Context, trace: RequestTrace) => Promise<Reply>
}

/** Creates the handlers of `/devices`, where customers see and release the devices of their license. */
export function createDevicesRoutes(options: DevicesRouteOptions): DevicesRoutes {
  const { operations, limits, site, clock, findLicenseKey, offlineDays } = options
  const service = createOfflineService(operations)

  /** Lists the devices, oldest activation first. @returns the reply if they can't be had. */
  async function list(licenseKey: string): Promise<{ devices: Listed[]; isWhole: boolean } | Reply> {
    const listed = await service.listActivations({ licenseKey })
    if (listed.kind !== 'answer') return listed.kind === 'refusal' ? replyOfRefusal(listed) : listed.reply
    const { activations, isWhole } = listed.value
    // A license that the vendor's rule refuses looks like an unknown one.
    if (activations.length === 0 && !isWhole) return refused(404, 'not-found')
    const orderOf = ({ createdAtMs }: Activation): number => createdAtMs ?? latestDateMs
    const sorted = activations.toSorted((one, other) => orderOf(one) - orderOf(other))
    const devices = sorted.map(async (activation, index) => ({
      activation,
      shown: await shownOf(licenseKey, activation, index === 0 && sorted.length > 1),
    }))
    return { devices: await Promise.all(devices), isWhole }
  }

  async function shownOf(licenseKey: string, activation: Activation, isFirst: boolean): Promise<ShownDevice> {
    const { id, deviceName, createdAtMs } = activation
    const untilMs = offlineUntilMs(activation, offlineDays ?? longestOfflineDays)
    const isHeld = untilMs !== null && untilMs > clock()
    return {
      // The same from every instance of the gateway. Only someone with the license key can use it.
      device: await sha256(JSON.stringify([licenseKey, id])),
      name: unmarkedName(deviceName ?? '').trim(),
      activatedAt: timeOf(createdAtMs),
      offlineUntil: isHeld ? timeOf(Math.min(untilMs, latestDateMs)) : null,
      isOldest: isFirst && createdAtMs !== null,
    }
  }

  /** Finds a device; `null` if it is gone, which only a whole list shows. */
  async function find(licenseKey: string, handle: string): Promise<Listed | Reply | null> {
    const listed = await list(licenseKey)
    if ('status' in listed) return listed
    const found = listed.devices.find(({ shown }) => shown.device === handle)
    return found ?? (listed.isWhole ? null : refused(502, 'list-unreadable'))
  }

  /** Releases a device. `released` is `null` if its seat was free already. */
  async function release(
    licenseKey: string,
    handle: string,
  ): Promise<{ readonly released: ShownDevice | null } | Reply> {
    const found = await find(licenseKey, handle)
    if (found === null) return { released: null }
    if ('status' in found) return found
    const { shown, activation } = found
    if (shown.offlineUntil !== null) return refused(422, 'offline-seat')
    const { id: activationId, fingerprint } = activation
    const freed = await service.deactivate({ licenseKey, activationId, fingerprint: fingerprint ?? '' })
    if (freed.kind === 'answer') return { released: shown }
    if (freed.kind === 'refusal') {
      return freed.reason === 'unknown-activation' ? { released: null } : replyOfRefusal(freed)
    }
    // Somebody else was faster. The gateway says so only if it is proven.
    const isGone = freed.cause === 'not-found' && freed.bodyIsJson === true
    return isGone ? { released: null } : freed.reply
  }

  /** Runs a request about the license key in a text, within the limits. */
  async function limited(
    request: Request,
    trace: RequestTrace,
    pasted: string,
    run: (licenseKey: string) => Promise<Reply>,
  ): Promise<Reply> {
    const licenseKey = findLicenseKey(pasted) ?? (await unknownKeyFor(pasted))
    trace.licenseId = licenseKey
    return (await limits.ofLicense(trace)) ?? limits.unlessGuessing(request, trace, () => run(licenseKey))
  }

  async function actJson(licenseKey: string, handle: string | undefined): Promise<Reply> {
    if (handle !== undefined) {
      const outcome = await release(licenseKey, handle)
      return 'status' in outcome ? outcome : answered({ released: outcome.released !== null })
    }
    const listed = await list(licenseKey)
    if ('status' in listed) return listed
    return answered({ devices: listed.devices.map(({ shown }) => shown), isWhole: listed.isWhole })
  }

  async function actForm(licenseKey: string, { device, step }: Form, pages: DevicesPages): Promise<Reply> {
    const page = async (shown: ReturnType<DevicesPages['key']>): Promise<Reply> => ({
      ...answered({}),
      page: await shown,
    })
    if (device !== undefined && step === 'release') {
      const outcome = await release(licenseKey, device)
      return 'status' in outcome ? outcome : page(pages.released(licenseKey, outcome.released))
    }
    if (device !== undefined && step === 'confirm') {
      const found = await find(licenseKey, device)
      if (found === null) return page(pages.released(licenseKey, null))
      return 'status' in found ? found : page(pages.confirm(licenseKey, found.shown))
    }
    const listed = await list(licenseKey)
    if ('status' in listed) return listed
    const devices = listed.devices.map(({ shown }) => shown)
    return page(pages.list(licenseKey, devices, listed.isWhole))
  }

  return {
    async get({ req }, trace) {
      // Hono serves HEAD by the route of GET.
      if (req.raw.method !== 'GET') return notServed('no-such-route')
      const overLimit = await limits.ofAddress(req.raw, trace)
      if (overLimit !== null) return overLimit
      return { ...answered({}), page: await createDevicesPages(site, languageOf(req.raw.headers)).key() }
    },

    async post(context, trace) {
      const { raw } = context.req
      const overLimit = await limits.ofAddress(raw, trace)
      if (!isForm(raw)) {
        if (overLimit !== null) return overLimit
        if (isFromOtherSite(raw)) return otherSite
        const { licenseKey: pasted, device } = await readBody(context, jsonSchema, maxBodyBytes)
        return limited(raw, trace, pasted, (licenseKey) => actJson(licenseKey, device))
      }
      const pages = createDevicesPages(site, languageOf(raw.headers))
      let entered = ''
      const answer = async (): Promise<Reply> => {
        if (overLimit !== null) return overLimit
        if (!isFromHere(raw)) return otherSite
        const form = await readForm(context, formSchema, maxBodyBytes)
        entered = form.licenseKey
        return limited(raw, trace, form.licenseKey, (licenseKey) => actForm(licenseKey, form, pages))
      }
      const reply = await answer()
      if (reply.page !== undefined) return reply
      return { ...reply, page: await pages.key({ entered, problem: reply.code ?? 'internal' }) }
    },
  }
}

/**
 * Returns a key that no license has, for a text without a key. The service is asked about it, so that neither the answer
 * nor its time shows what a license key looks like.
 */
async function unknownKeyFor(text: string): Promise<string> {
  return (await sha256Hex(text)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5')
}

/** The year 9999, for a device whose service doesn't report when it was activated. */
const latestDateMs = 253_402_300_799_000

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

function isForm({ headers }: Request): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '')
}

/** Where a browser says that a request comes from; `null` if it doesn't, or if it isn't a browser. */
function siteOf({ headers, url }: Request): 'here' | 'elsewhere' | null {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' ? 'here' : 'elsewhere'
  const origin = headers.get('origin')
  if (origin === null) return null
  // A proxy that terminates TLS changes the scheme.
  return URL.canParse(origin) && new URL(origin).host === new URL(url).host ? 'here' : 'elsewhere'
}

const isFromOtherSite = (request: Request): boolean => siteOf(request) === 'elsewhere'

/** A browser sends other sites' forms without asking first, so a form must be known to be the page's own. */
const isFromHere = (request: Request): boolean => siteOf(request) === 'here'
