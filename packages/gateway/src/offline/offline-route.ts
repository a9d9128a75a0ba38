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
import { answered, notServed, type Reply, refused, type SitePage } from '../http/reply.ts'
import { isId, uuidOnly } from '../http/routes.ts'
import type { LeaseSigners } from '../leases/lease-signers.ts'
import {
  type DevicesOf,
  type LicenseDevices,
  type LicenseOutcomes,
  offlineUntilMs,
} from '../licenses/license-devices.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { createDevicesPages, dateOf, filled } from '../site/devices-route.ts'
import { createFormRoute, problemsOf, type Step, shown } from '../site/form-route.ts'
import type { Markup, PageRoute, Site } from '../site/site.ts'
import type { SiteLanguage } from '../site/site-texts.ts'
import { createOfflineIssuer, type OfflineAnswer } from './offline-issuer.ts'

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
const maxBytes = 65_536

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
  /** The same in a form, where the person sees the devices and confirms before one is released. By default `show`. */
  step: z.optional(z.enum(['activate', 'show', 'list', 'confirm', 'release', 'free'])),
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
  readonly signers: LeaseSigners
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
  const { outcomes, devices, signers, limits, site, days, clock, takesAnyId, seesAll } = options
  const issuer = createOfflineIssuer(outcomes, signers, days, clock)

  /** Reads a request or a release code. @returns the code of the refusal if it is neither. */
  async function readText(text: string): Promise<OfflineRequest | ReleaseCode | GatewayCode> {
    const read = readOfflineRequest(text)
    if (read.ok) return isId(read.request.licenseKey) ? read.request : 'no-offline-request'
    if (read.fault !== 'other-kind') return requestCodes[read.fault]
    const found = await readReleaseCode(text, await signers.all())
    return found.ok ? found.release : releaseCodes[found.fault]
  }

  async function act(
    about: OfflineRequest | ReleaseCode,
    { request, action, step, device = '', code }: OfflineBody,
    isForm: boolean,
    spoken: SiteLanguage,
  ): Promise<Step> {
    const { deviceName, app, licenseKey, fingerprint } = about
    const kept = html`<input type="hidden" name="request" value="${request}">`
    const pages = createOfflinePages(site, spoken, kept)
    const facts = { device: deviceName, license: masked(licenseKey), app }
    const asked = isForm ? (step ?? 'show') : action
    if ('deactivatedAtMs' in about) {
      const deactivatedAt = new Date(about.deactivatedAtMs).toISOString()
      if (asked === 'show')
        return shown({ ...facts, deactivatedAt }, () => pages.confirmRelease(facts, deactivatedAt))
      if (asked !== 'free' && asked !== undefined) return { reply: refused(400, 'no-offline-request') }
      const freed = await issuer.free(about)
      if ('status' in freed) return { reply: freed }
      return shown({ ...freed, device: deviceName }, () => pages.freed(freed.released))
    }

    const devicesPages = createDevicesPages(site, spoken, kept)
    // With `devices: 'own'`, a device sees itself alone: no device knows the fingerprint of another one.
    const of: DevicesOf = seesAll ? { licenseKey } : { licenseKey, only: fingerprint }
    const activate = async (): Promise<Step> => {
      const issued = await issuer.answer(about, isForm || code === true)
      if (!('status' in issued)) {
        const { remark, ...answer } = issued
        return { reply: { ...answered(answer), ...(remark && { remark }) }, page: () => pages.answer(issued) }
      }
      return isForm && issued.code === 'no-seat-left' ? list(issued) : { reply: issued }
    }
    const list = async (reply?: Reply): Promise<Step> => {
      const listed = await devices.list(of)
      if ('status' in listed) return { reply: listed }
      const { seatsHeading: heading, seatsLead: lead, startOver: back } = spoken.texts
      return {
        reply: reply ?? answered(listed),
        page: () => devicesPages.list(listed, { heading, lead, back }),
      }
    }
    switch (asked) {
      case 'show':
        return shown(facts, () => pages.confirm(facts))
      case 'devices':
      case 'list':
        return list()
      case 'confirm': {
        const looked = await devices.find(of, device)
        return 'status' in looked ? { reply: looked } : shown({}, () => devicesPages.confirm(looked.found))
      }
      case 'release': {
        const outcome = await devices.release(of, device)
        if ('status' in outcome) return { reply: outcome }
        return isForm ? activate() : { reply: answered({ released: outcome.released !== null }) }
      }
      case 'free':
        return { reply: refused(400, 'invalid-body') }
      default:
        return activate()
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
      const given = await readReleaseCode(headers.get(releaseCodeHeader) ?? '', await signers.all())
      return given.ok && isSameId(given.release.activationId, found.id) ? null : refused(422, 'offline-seat')
    },

    ...createFormRoute({
      limits,
      schema: bodySchema,
      maxBytes,
      async read(body, isForm, spoken) {
        const about = await readText(body.request)
        if (typeof about === 'string') return refused(400, about)
        const licenseKey = takesAnyId ? about.licenseKey : about.licenseKey.toLowerCase()
        // Everything else becomes a part of a path at the service.
        if (!takesAnyId && !uuidOnly.test(licenseKey)) return refused(404, 'not-found')
        return { licenseKey, run: () => act({ ...about, licenseKey }, body, isForm, spoken) }
      },
      firstPage: (spoken, failed) =>
        createOfflinePages(site, spoken).start(failed && { ...failed.fields, reply: failed.reply }),
    }),
  }
}

/** The pages of `/offline`, besides those that release another device. */
function createOfflinePages(site: Site, spoken: SiteLanguage, kept: Markup = html``) {
  const { language, texts } = spoken
  const { problems } = texts
  const page = (title: string, content: Markup): Promise<SitePage> =>
    site({ ...spoken, title, content, hasForm: true })
  const startOver = html`<a class="button" href="?">${texts.startOver}</a>`
  const fact = (name: string, value: Markup | string): Markup =>
    html`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>`

  /** The sentence about each code. Every other code may pass. */
  function problemOf({ code, remark }: Reply, { request = '', step }: Partial<OfflineBody>): string {
    const sentences: Partial<Record<GatewayCode, string>> = {
      ...problemsOf(texts),
      'no-offline-request': /latchkey-answer-\d/u.test(request) ? problems.answer : problems.noRequest,
      'body-too-large': problems.noRequest,
      'invalid-body': problems.noRequest,
      'offline-request-torn': problems.torn,
      'offline-request-newer': problems.newer,
      'release-code-torn': problems.releaseTorn,
      'release-code-edited': problems.releaseEdited,
      'release-code-unknown-key': problems.releaseUnknownKey,
      // A license that is gone is nothing the customer can correct.
      'not-found': step === 'free' ? problems.notActive : problems.unknown,
      gone: problems.unknown,
      'wrong-product': problems.wrongProduct,
      rejected: problems.refused,
      'list-not-allowed': problems.unlisted,
      'offline-seat': texts.devices.offlineSeat,
    }
    // The vendor has to correct the gateway.
    if (remark === 'lease-key-untrusted') return problems.unlisted
    return sentences[code ?? 'internal'] ?? problems.unavailable
  }

  /** Asks before anything happens. */
  function confirm(
    heading: string,
    facts: { readonly device: string; readonly license: string; readonly app: string },
    more: Markup,
    button: Markup,
  ): Promise<SitePage> {
    return page(
      heading,
      html`<h1>${heading}</h1>
<dl>${fact(texts.device, facts.device)}${fact(texts.license, facts.license)}${fact(texts.app, facts.app)}${more}</dl>
<form method="post">${kept}${button}</form>
${startOver}`,
    )
  }

  return {
    /** @param failed what was sent before, and why it led nowhere. It stays, because nobody wants to scan it again. */
    start: (failed?: Partial<OfflineBody> & { readonly reply: Reply }) =>
      page(
        texts.title,
        html`<h1>${texts.title}</h1>
<p>${texts.lead}</p>
${failed === undefined ? '' : html`<p class="problem" role="alert">${problemOf(failed.reply, failed)}</p>`}
<form method="post">
<label for="file" class="button" hidden>${texts.chooseFile}<input type="file" id="file"></label>
<label for="request">${texts.pasteLabel}</label>
<textarea id="request" name="request" rows="6" required spellcheck="false" dir="ltr">${failed?.request ?? ''}</textarea>
<button class="main">${texts.continue}</button>
</form>`,
      ),

    confirm: (facts: Parameters<typeof confirm>[1]) =>
      confirm(
        texts.confirm,
        facts,
        html``,
        html`<button class="main" name="step" value="activate">${texts.activate}</button>`,
      ),

    confirmRelease: (facts: Parameters<typeof confirm>[1], deactivatedAt: string) =>
      confirm(
        texts.releaseConfirm,
        facts,
        fact(texts.deactivated, dateOf(language, deactivatedAt)),
        html`<button class="main" name="step" value="free">${texts.freeSeat}</button>`,
      ),

    freed: (isFreed: boolean) =>
      page(
        texts.freedHeading,
        html`<h1 class="done">${texts.freedHeading}</h1>
<p role="status">${isFreed ? texts.freedLead : texts.alreadyFreed}</p>${startOver}`,
      ),

    answer({ answer, code, validUntil }: OfflineAnswer) {
      const picture =
        code == null
          ? ''
          : html`<p class="until">${texts.answerCode}</p>
<img src="data:image/svg+xml,${encodeURIComponent(code)}" alt="">`
      return page(
        texts.doneHeading,
        html`<h1 class="done">${texts.doneHeading}</h1>
<p role="status">${texts.doneLead}</p>
<p class="until">${filled(texts.validUntil, dateOf(language, validUntil))}</p>
<a class="button main" href="data:application/octet-stream,${encodeURIComponent(answer)}" download="answer.latchkey">${texts.saveFile}</a>
<label for="answer">${texts.answerText}</label>
<textarea id="answer" rows="8" readonly spellcheck="false" dir="ltr">${answer}</textarea>
<button id="copy" type="button" hidden>${texts.copy}</button>
<p id="copied" role="status" data-text="${texts.copied}"></p>
${picture}
${startOver}`,
      )
    },
  }
}

/** The first and last characters of a license key, enough to recognize it. */
function masked(licenseKey: string): string {
  const count = Math.min(4, Math.floor(licenseKey.length / 6))
  return count === 0 ? '••••' : `${licenseKey.slice(0, count)}••••${licenseKey.slice(-count)}`
}
