import * as z from 'zod/mini'
import { answered, notServed, type Reply, refused, type SitePage } from '../http/reply.ts'
import { readBody, readForm } from '../http/request-body.ts'
import type { RequestTrace } from '../http/request-log.ts'
import type { LicenseDevices, ShownDevice } from '../licenses/license-devices.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { sha256Hex } from '../sha256.ts'
import { createDevicesPages, type DevicesPages } from './devices-page.ts'
import type { PageRoute, Site } from './site.ts'
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

/** What the route needs. */
export interface DevicesRouteOptions {
  readonly devices: LicenseDevices
  readonly limits: RequestLimits
  readonly site: Site
  /** Finds the license key in pasted text, in the form to send; `null` if there is none. */
  readonly findLicenseKey: (text: string) => string | null
}

/** The reply to `/devices` if it is off. */
export const devicesOff: Reply = {
  ...notServed('no-such-route'),
  text: 'Devices can’t be shown on this server. Contact the developer of your app.',
  detail: 'the page for devices is off: set LATCHKEY_DEVICES_PAGE=1, or the option devicesPage in code',
}

/** The reply to a form of another site. Only a browser sends forms, so only a browser gets this. */
const otherSite: Reply = refused(403, 'other-site')

/** What a step shows. */
type Shown =
  | { readonly devices: readonly ShownDevice[]; readonly isWhole: boolean }
  | { readonly found: ShownDevice | null }
  | { readonly released: ShownDevice | null }

/** Creates `/devices`, where customers see and release the devices of their license. */
export function createDevicesRoute(options: DevicesRouteOptions): PageRoute {
  const { devices, limits, site, findLicenseKey } = options

  /** Does a step about the license key in a text, within the limits. */
  async function act(
    request: Request,
    trace: RequestTrace,
    { licenseKey: pasted, device, step }: z.output<typeof formSchema>,
    show: (shown: Shown, licenseKey: string) => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const licenseKey = findLicenseKey(pasted) ?? (await unknownKeyFor(pasted))
    trace.licenseId = licenseKey
    const overLimit = await limits.ofLicense(trace)
    if (overLimit !== null) return overLimit
    return limits.unlessGuessing(request, trace, async () => {
      const of = { licenseKey }
      const shown: Shown | Reply =
        device === undefined || step === undefined || step === 'list'
          ? await devices.list(of)
          : step === 'release'
            ? await devices.release(of, device)
            : await devices.find(of, device)
      return 'status' in shown ? shown : show(shown, licenseKey)
    })
  }

  return {
    page: ({ headers }) => createDevicesPages(site, languageOf(headers)).key(),

    async post(context, trace) {
      const { raw } = context.req
      const overLimit = await limits.ofAddress(raw, trace)
      if (!isForm(raw)) {
        if (overLimit !== null) return overLimit
        if (isFromOtherSite(raw)) return otherSite
        const body = await readBody(context, jsonSchema, maxBodyBytes)
        const step = body.device === undefined ? 'list' : 'release'
        return act(raw, trace, { ...body, step }, (shown) =>
          answered('released' in shown ? { released: shown.released !== null } : shown),
        )
      }
      const pages = createDevicesPages(site, languageOf(raw.headers))
      let entered = ''
      const answer = async (): Promise<Reply> => {
        if (overLimit !== null) return overLimit
        if (!isFromHere(raw)) return otherSite
        const form = await readForm(context, formSchema, maxBodyBytes)
        entered = form.licenseKey
        return act(raw, trace, form, async (shown, licenseKey) => ({
          ...answered({}),
          page: await pageOf(pages, shown, licenseKey),
        }))
      }
      const reply = await answer()
      if (reply.page !== undefined) return reply
      return { ...reply, page: await pages.key({ entered, problem: reply.code ?? 'internal' }) }
    },
  }
}

function pageOf(pages: DevicesPages, shown: Shown, licenseKey: string): Promise<SitePage> {
  if ('devices' in shown) return pages.list(licenseKey, shown.devices, shown.isWhole)
  if ('released' in shown) return pages.released(licenseKey, shown.released)
  return shown.found === null ? pages.released(licenseKey, null) : pages.confirm(licenseKey, shown.found)
}

/**
 * Returns a key that no license has, for a text without a key. The service is asked about it, so that neither the answer
 * nor its time shows what a license key looks like.
 */
async function unknownKeyFor(pasted: string): Promise<string> {
  return (await sha256Hex(pasted)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5')
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
