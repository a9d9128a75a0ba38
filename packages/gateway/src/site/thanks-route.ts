import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ThanksPageOptions } from '../gateway-options.ts'
import { notServed, type Reply } from '../http/reply.ts'
import type { RequestTrace } from '../http/request-log.ts'
import { isId } from '../http/routes.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import { pageScript } from './devices-page.ts'
import type { Markup, Site } from './site.ts'
import { languageOf, type SiteTexts } from './site-texts.ts'

/** The reply to `/thanks` if it is off. */
export const thanksOff: Reply = {
  ...notServed('no-such-route'),
  detail: 'the page for buyers is off: set LATCHKEY_THANKS_PAGE, or the option thanksPage in code',
}

/** Creates the handler of `GET /thanks?key=…`, which opens the app with a new license key. The service isn't asked. */
export function createThanksRoute(
  { scheme }: ThanksPageOptions,
  { site, limits }: { readonly site: Site; readonly limits: RequestLimits },
): (context: Context, trace: RequestTrace) => Promise<Reply> {
  return async ({ req }, trace) => {
    if (req.raw.method !== 'GET') return notServed('no-such-route')
    const overLimit = await limits.ofAddress(req.raw, trace)
    if (overLimit !== null) return overLimit
    const given = new URL(req.raw.url).searchParams.get('key')?.trim() ?? ''
    const licenseKey = isId(given) ? given : ''
    trace.licenseId = licenseKey
    const spoken = languageOf(req.raw.headers)
    const content = licenseKey === '' ? withoutKey(spoken.texts) : withKey(spoken.texts, scheme, licenseKey)
    const page = await site({ ...spoken, title: spoken.texts.thanks.title, content, script: pageScript })
    return { status: 200, body: null, code: null, page }
  }
}

function withoutKey({ thanks }: SiteTexts): Markup {
  return html`<h1>${thanks.title}</h1><p>${thanks.noKey}</p>`
}

function withKey({ thanks, license }: SiteTexts, scheme: string, licenseKey: string): Markup {
  return html`<h1>${thanks.title}</h1>
<p>${thanks.lead}</p>
<a id="open-app" class="button main" href="${scheme}://activate?license=${encodeURIComponent(licenseKey)}">${thanks.open}</a>
<label for="bought-key">${license}</label>
<textarea id="bought-key" dir="ltr" rows="2" readonly>${licenseKey}</textarea>
<button id="copy" type="button" hidden>${thanks.copy}</button>
<p id="copied" role="status" data-text="${thanks.copied}"></p>`
}
