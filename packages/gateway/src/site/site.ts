import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { SiteOptions } from '../gateway-options.ts'
import type { Reply, SitePage } from '../http/reply.ts'
import type { RequestTrace } from '../http/request-log.ts'
import { sha256 } from '../sha256.ts'
import { enhancePage } from './site-script.ts'
import { sitePalette, siteStyle } from './site-style.ts'
import type { SiteLanguage } from './site-texts.ts'

/** A piece of a page. Everything that is put into one is escaped. */
export type Markup = ReturnType<typeof html>

/** What a page of the site consists of. */
export interface PageParts extends SiteLanguage {
  readonly title: string
  /** What `main` contains. */
  readonly content: Markup
  /** Whether a browser sends a form from the page. */
  readonly hasForm?: boolean
}

/** Creates pages that look alike. Nothing of them is loaded from elsewhere, except for a logo at an `https:` URL. */
export type Site = (parts: PageParts) => Promise<SitePage>

/** A page for customers, at a path of its own. */
export interface PageRoute {
  /** Creates the page that a browser opens. */
  page(request: Request, trace: RequestTrace): Promise<SitePage>
  /** Answers what the page sends. @default nothing is sent */
  post?(context: Context, trace: RequestTrace): Promise<Reply>
}

/** The built-in logo. */
const keyIcon = raw(
  '<svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="M14.5 9.5 4 20v-3m3 0-1.500-1.500M18 6h.01M15 4a5 5 0 1 1 0 10 5 5 0 0 1 0-10"/></svg>',
)

const script = `(${enhancePage})()`

export function createSite({ name = '', logo, accent = '#3d5af1', support }: SiteOptions): Site {
  const style = sitePalette(accent) + siteStyle
  const images = logo?.startsWith('https:') ? `data: ${new URL(logo).origin}` : 'data:'
  const picture =
    logo === undefined
      ? html`<span class="mark">${keyIcon}</span>`
      : html`<img class="glow" src="${logo}" alt=""><img class="logo" src="${logo}" alt="">`

  return async ({ language, texts, title, content, hasForm = false }) => {
    const page = await html`<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name === '' ? title : `${title} · ${name}`}</title>
<style>${raw(style)}</style>
</head>
<body>
<div class="card">
<header><div class="emblem">${picture}</div>${name === '' ? '' : html`<p><bdi>${name}</bdi></p>`}</header>
<main>${content}</main>
${support === undefined ? '' : html`<footer><a href="${support}">${texts.devices.support}</a></footer>`}
</div>
<script>${raw(script)}</script>
</body>
</html>
`
    const policy = [
      "default-src 'none'",
      `script-src '${await hashOf(script)}'`,
      `style-src '${await hashOf(style)}'`,
      `img-src ${images}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; ')
    return { html: String(page), policy, ...(hasForm && { referrers: 'same-origin' }) }
  }
}

/** The hash of a script or style for the policy, which is written in base64. */
async function hashOf(text: string): Promise<string> {
  return `sha256-${(await sha256(text)).replaceAll('-', '+').replaceAll('_', '/')}=`
}
