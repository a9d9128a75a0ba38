import { html } from 'hono/html'
import type { GatewayCode } from '../gateway-codes.ts'
import type { SitePage } from '../http/reply.ts'
import type { ShownDevice } from '../licenses/license-devices.ts'
import type { Markup, Site } from './site.ts'
import { enhancePage } from './site-script.ts'
import type { SiteLanguage, SiteTexts } from './site-texts.ts'

/** The steps of `/devices`. Each is a page of its own, so that no step needs a script. */
export interface DevicesPages {
  /** Asks for the license key. @param failed what was entered before, and why it led nowhere */
  key(failed?: { readonly entered: string; readonly problem: GatewayCode }): Promise<SitePage>
  list(licenseKey: string, devices: readonly ShownDevice[], isWhole: boolean): Promise<SitePage>
  confirm(licenseKey: string, device: ShownDevice): Promise<SitePage>
  /** @param device the released one; `null` if its seat was free already */
  released(licenseKey: string, device: ShownDevice | null): Promise<SitePage>
}

/** The script as text. */
export const pageScript: string = `(${enhancePage})()`

/** Lists that are longer get a field to search them. */
const mostAtOnce = 10

/** The sentence about each code. Every other code may pass. */
const problemOf = ({ devices, problems }: SiteTexts): Partial<Record<GatewayCode, string>> => ({
  'not-found': devices.unknown,
  gone: devices.unknown,
  'wrong-product': devices.unknown,
  'test-license': problems.notActive,
  'license-expired': problems.expired,
  'license-suspended': problems.notActive,
  'license-inactive': problems.notActive,
  rejected: devices.unknown,
  'list-not-allowed': devices.unlisted,
  'list-unreadable': devices.unlisted,
  'offline-seat': devices.offlineSeat,
  'other-site': devices.otherSite,
  'too-many-requests': problems.tooMany,
})

export function createDevicesPages(site: Site, spoken: SiteLanguage): DevicesPages {
  const { language, texts: all } = spoken
  const { devices: texts } = all
  const page = async (title: string, content: Markup): Promise<SitePage> => ({
    ...(await site({ ...spoken, title, content, script: pageScript })),
    referrers: 'same-origin',
  })

  const nameOf = ({ name }: ShownDevice): Markup => html`<bdi>${name === '' ? texts.unnamed : name}</bdi>`
  /** In UTC. The script replaces it with the day in the person's own time zone. */
  const dateOf = (time: string): Markup =>
    html`<time datetime="${time}">${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))}</time>`
  const again = (licenseKey: string, label: string): Markup => html`
<form method="post"><input type="hidden" name="licenseKey" value="${licenseKey}"><button>${label}</button></form>`

  function row(shown: ShownDevice): Markup {
    const { device, activatedAt, offlineUntil, isOldest } = shown
    const lines = [
      activatedAt === null ? '' : filled(texts.activatedOn, dateOf(activatedAt)),
      isOldest ? texts.oldest : '',
      offlineUntil === null ? '' : filled(texts.offlineUntil, dateOf(offlineUntil)),
    ]
    return html`<label class="row"><input type="radio" name="device" value="${device}" required${
      offlineUntil === null ? '' : ' disabled'
    }><span><b>${nameOf(shown)}</b>${lines.map((line) => (line === '' ? '' : html`<small>${line}</small>`))}</span></label>`
  }

  return {
    key(failed) {
      const message = failed && (problemOf(all)[failed.problem] ?? all.problems.unavailable)
      return page(
        texts.title,
        html`<h1>${texts.title}</h1>
<p>${texts.lead}</p>
<form method="post">
<label for="license-key">${all.license}</label>
<input id="license-key" name="licenseKey" dir="ltr" required autofocus autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="4000"${
          message === undefined
            ? ''
            : html` value="${failed?.entered}" aria-invalid="true" aria-describedby="problem"`
        }>
${message === undefined ? '' : html`<p id="problem" class="problem" role="alert">${message}</p>`}
<button class="main">${texts.show}</button>
</form>`,
      )
    },

    list(licenseKey, devices, isWhole) {
      const partial = isWhole ? '' : html`<br>${texts.partial}`
      const otherKey = html`<a class="button" href="?">${texts.otherKey}</a>`
      if (devices.length === 0) {
        return page(texts.heading, html`<h1>${texts.heading}</h1><p>${texts.none}${partial}</p>${otherKey}`)
      }
      const find =
        devices.length > mostAtOnce
          ? html`<input id="find" type="search" hidden aria-label="${texts.find}" placeholder="${texts.find}">`
          : ''
      return page(
        texts.heading,
        html`<h1>${texts.heading}</h1>
<p>${texts.listLead}${partial}</p>
<form method="post">
<input type="hidden" name="licenseKey" value="${licenseKey}">
<input type="hidden" name="step" value="confirm">
${find}
<fieldset><legend>${texts.heading}</legend><div class="rows">${devices.map(row)}</div></fieldset>
${devices.some(({ offlineUntil }) => offlineUntil === null) ? html`<button class="main">${texts.release}</button>` : ''}
</form>
${otherKey}`,
      )
    },

    confirm(licenseKey, shown) {
      return page(
        texts.release,
        html`<h1>${filled(texts.confirmHeading, nameOf(shown))}</h1>
<p>${texts.confirmLead}</p>
<form method="post" class="actions">
<input type="hidden" name="licenseKey" value="${licenseKey}">
<input type="hidden" name="device" value="${shown.device}">
<button name="step" value="list" autofocus>${texts.cancel}</button>
<button name="step" value="release" class="danger">${texts.release}</button>
</form>`,
      )
    },

    released(licenseKey, shown) {
      const lead =
        shown === null ? all.alreadyFreed : html`${all.freedLead}<br>${filled(texts.released, nameOf(shown))}`
      return page(
        all.freedHeading,
        html`<h1 class="done">${all.freedHeading}</h1><p role="status">${lead}</p>${again(licenseKey, texts.show)}`,
      )
    },
  }
}

/** Puts a piece of a page in place of a text's placeholder. */
function filled(text: string, value: Markup): Markup {
  const [before = '', after = ''] = text.split(/\{\w+\}/u)
  return html`${before}${value}${after}`
}
