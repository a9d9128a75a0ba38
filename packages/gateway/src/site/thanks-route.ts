import { html } from 'hono/html'
import { notServed, type Reply } from '../http/reply.ts'
import { isId } from '../http/routes.ts'
import type { Markup, PageRoute, Site } from './site.ts'
import { languageOf, type SiteTexts } from './site-texts.ts'

/** The reply to `/thanks` if it is off. */
export const thanksOff: Reply = {
  ...notServed('no-such-route'),
  detail: 'the page for buyers is off: set LATCHKEY_THANKS_PAGE, or the option thanksPage in code',
}

/** Creates the page at `/thanks?key=…`, which opens the app with a new license key. The service isn't asked. */
export function createThanksRoute(scheme: string, site: Site): PageRoute {
  return {
    page({ url, headers }, trace) {
      const given = new URL(url).searchParams.get('key')?.trim() ?? ''
      const licenseKey = isId(given) ? given : ''
      trace.licenseId = licenseKey
      const spoken = languageOf(headers)
      const { texts } = spoken
      const content = licenseKey === '' ? withoutKey(texts) : withKey(texts, scheme, licenseKey)
      return site({ ...spoken, title: texts.thanks.title, content })
    },
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
