import { html } from 'hono/html'
import * as z from 'zod/mini'
import { notServed, type Reply, type SitePage } from '../http/reply.ts'
import type { LicenseDevices, ShownDevice } from '../licenses/license-devices.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { sha256Hex } from '../sha256.ts'
import { createFormRoute, problemsOf, shown } from './form-route.ts'
import type { Markup, PageRoute, Site } from './site.ts'
import type { SiteLanguage } from './site-texts.ts'

const text = z.string().check(z.minLength(1))

/** The body of `POST /devices`: as JSON, `device` is released. The page asks before. */
const bodySchema = z.object({
  licenseKey: text,
  device: z.optional(text),
  step: z.optional(z.enum(['list', 'confirm', 'release'])),
})

/** The longest pasted text with a license key in it, in bytes of the body. */
const maxBytes = 16_384

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

/** Creates `/devices`, where customers see and release the devices of their license. */
export function createDevicesRoute(options: DevicesRouteOptions): PageRoute {
  const { devices, limits, site, findLicenseKey } = options
  return createFormRoute({
    limits,
    schema: bodySchema,
    maxBytes,

    async read({ licenseKey: pasted, device, step }, isForm, spoken) {
      const licenseKey = findLicenseKey(pasted) ?? (await unknownKeyFor(pasted))
      const of = { licenseKey }
      const kept = html`<input type="hidden" name="licenseKey" value="${licenseKey}">`
      const pages = createDevicesPages(site, spoken, kept)
      const asked = isForm ? (step ?? 'list') : 'release'
      return {
        licenseKey,
        async run() {
          if (device === undefined || asked === 'list') {
            const listed = await devices.list(of)
            return 'status' in listed ? { reply: listed } : shown(listed, () => pages.list(listed))
          }
          if (asked === 'confirm') {
            const looked = await devices.find(of, device)
            return 'status' in looked ? { reply: looked } : shown({}, () => pages.confirm(looked.found))
          }
          const outcome = await devices.release(of, device)
          if ('status' in outcome) return { reply: outcome }
          return shown({ released: outcome.released !== null }, () => pages.released(outcome.released))
        },
      }
    },

    firstPage(spoken, failed) {
      const { texts: all } = spoken
      const { devices: texts } = all
      const problems = {
        ...problemsOf(all),
        'not-found': texts.unknown,
        gone: texts.unknown,
        'wrong-product': texts.unknown,
        rejected: texts.unknown,
        'list-not-allowed': texts.unlisted,
        'list-unreadable': texts.unlisted,
        'offline-seat': texts.offlineSeat,
        'other-site': texts.otherSite,
      }
      const message = failed && (problems[failed.reply.code ?? 'internal'] ?? all.problems.unavailable)
      const failure = html` value="${failed?.fields?.licenseKey ?? ''}" aria-invalid="true" aria-describedby="problem"`
      const content = html`<h1>${texts.title}</h1>
<p>${texts.lead}</p>
<form method="post">
<label for="license-key">${all.license}</label>
<input id="license-key" name="licenseKey" dir="ltr" required autofocus autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="4000"${
        message === undefined ? '' : failure
      }>
${message === undefined ? '' : html`<p id="problem" class="problem" role="alert">${message}</p>`}
<button class="main">${texts.show}</button>
</form>`
      return site({ ...spoken, title: texts.title, content, hasForm: true })
    },
  })
}

/** Lists that are longer get a field to search them. */
const mostAtOnce = 10

/** The pages on which a person releases a device. Each is a page of its own, so that no step needs a script. */
export interface DevicesPages {
  /** @param words in place of the usual texts: above the devices, and on the link to the first page */
  list(
    listed: { readonly devices: readonly ShownDevice[]; readonly isWhole: boolean },
    words?: { readonly heading: string; readonly lead: string; readonly back: string },
  ): Promise<SitePage>
  /** @param device `null` if its seat was free already */
  confirm(device: ShownDevice | null): Promise<SitePage>
  released(device: ShownDevice | null): Promise<SitePage>
}

/** @param kept the fields that every form sends again */
export function createDevicesPages(site: Site, spoken: SiteLanguage, kept: Markup): DevicesPages {
  const { language, texts: all } = spoken
  const { devices: texts } = all
  const page = (title: string, content: Markup): Promise<SitePage> =>
    site({ ...spoken, title, content, hasForm: true })

  const nameOf = ({ name }: ShownDevice): Markup => html`<bdi>${name === '' ? texts.unnamed : name}</bdi>`

  function row(device: ShownDevice): Markup {
    const { activatedAt, offlineUntil, isOldest } = device
    const lines = [
      activatedAt === null ? '' : filled(texts.activatedOn, dateOf(language, activatedAt)),
      isOldest ? texts.oldest : '',
      offlineUntil === null ? '' : filled(texts.offlineUntil, dateOf(language, offlineUntil)),
    ]
    return html`<label class="row"><input type="radio" name="device" value="${device.device}" required${
      offlineUntil === null ? '' : ' disabled'
    }><span><b>${nameOf(device)}</b>${lines.map((line) => (line === '' ? '' : html`<small>${line}</small>`))}</span></label>`
  }

  function released(device: ShownDevice | null): Promise<SitePage> {
    const lead =
      device === null ? all.alreadyFreed : html`${all.freedLead}<br>${filled(texts.released, nameOf(device))}`
    return page(
      all.freedHeading,
      html`<h1 class="done">${all.freedHeading}</h1><p role="status">${lead}</p>
<form method="post">${kept}<button name="step" value="list">${texts.show}</button></form>`,
    )
  }

  return {
    list({ devices, isWhole }, words) {
      const { heading, lead, back } = words ?? {
        heading: texts.heading,
        lead: texts.listLead,
        back: texts.otherKey,
      }
      const partial = isWhole ? '' : html`<br>${texts.partial}`
      const backLink = html`<a class="button" href="?">${back}</a>`
      if (devices.length === 0) {
        return page(heading, html`<h1>${heading}</h1><p>${texts.none}${partial}</p>${backLink}`)
      }
      const find =
        devices.length > mostAtOnce
          ? html`<input id="find" type="search" hidden aria-label="${texts.find}" placeholder="${texts.find}">`
          : ''
      const canRelease = devices.some(({ offlineUntil }) => offlineUntil === null)
      return page(
        heading,
        html`<h1>${heading}</h1>
<p>${lead}${partial}</p>
<form method="post">
${kept}
<input type="hidden" name="step" value="confirm">
${find}
<fieldset><legend>${texts.heading}</legend><div class="rows">${devices.map(row)}</div></fieldset>
${canRelease ? html`<button class="main">${texts.release}</button>` : ''}
</form>
${backLink}`,
      )
    },

    confirm(device) {
      if (device === null) return released(null)
      return page(
        texts.release,
        html`<h1>${filled(texts.confirmHeading, nameOf(device))}</h1>
<p>${texts.confirmLead}</p>
<form method="post" class="actions">
${kept}
<input type="hidden" name="device" value="${device.device}">
<button name="step" value="list" autofocus>${texts.cancel}</button>
<button name="step" value="release" class="danger">${texts.release}</button>
</form>`,
      )
    },

    released,
  }
}

/** A day in UTC. The script replaces it with the day in the person's own time zone. */
export function dateOf(language: string, time: string): Markup {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))
  return html`<time datetime="${time}">${day}</time>`
}

/** Puts a piece of a page in place of a text's placeholder. */
export function filled(text: string, value: Markup): Markup {
  const [before = '', after = ''] = text.split(/\{\w+\}/u)
  return html`${before}${value}${after}`
}

/**
 * Returns a key that no license has, for a text without a key. The service is asked about it, so that neither the answer
 * nor its time shows what a license key looks like.
 */
async function unknownKeyFor(pasted: string): Promise<string> {
  return (await sha256Hex(pasted)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, '$1-$2-$3-$4-$5')
}
