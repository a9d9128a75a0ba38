import type * as z from 'zod/mini'
import type { GatewayCode } from '../gateway-codes.ts'
import { answered, type Reply, refused, type SitePage } from '../http/reply.ts'
import { readBody, readForm } from '../http/request-body.ts'
import { replyOfError } from '../licenses/replies.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { PageRoute } from './site.ts'
import { languageOf, type SiteLanguage, type SiteTexts } from './site-texts.ts'

/** What a step of a page leads to. */
export interface Step {
  /** For a program. */
  readonly reply: Reply
  /** For a person. @default the first page, with what is wrong */
  readonly page?: (() => Promise<SitePage>) | undefined
}

/** A step about a license. */
export interface LicenseStep {
  readonly licenseKey: string
  run(): Promise<Step>
}

/** A page whose steps are forms, so that no step needs a script. The same steps in JSON are its interface for programs. */
export interface FormRouteOptions<Fields> {
  readonly limits: RequestLimits
  readonly schema: z.ZodMiniType<Fields>
  /** The longest body, in bytes. */
  readonly maxBytes: number
  /**
   * Reads what a step is about.
   *
   * @param isForm whether a page's form sent it. Otherwise it is from a program.
   * @returns the refusal if it is about no license.
   */
  read(fields: Fields, isForm: boolean, spoken: SiteLanguage): Promise<LicenseStep | Reply>
  /** Creates the first page. @param failed what was sent before, and why it led nowhere */
  firstPage(
    spoken: SiteLanguage,
    failed?: { readonly fields: Fields | null; readonly reply: Reply },
  ): Promise<SitePage>
}

/** The reply to what another site made a browser send. */
const otherSite: Reply = refused(403, 'other-site')

/** Creates a page whose steps are forms. */
export function createFormRoute<Fields>(options: FormRouteOptions<Fields>): PageRoute {
  const { limits, schema, maxBytes, read, firstPage } = options
  return {
    page: ({ headers }) => firstPage(languageOf(headers)),
    async post(context, trace) {
      const { raw: request } = context.req
      const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(
        request.headers.get('content-type') ?? '',
      )
      const spoken = languageOf(request.headers)
      let fields: Fields | null = null
      const step = async (): Promise<Step> => {
        const overLimit = await limits.ofAddress(request, trace)
        if (overLimit !== null) return { reply: overLimit }
        const site = siteOf(request)
        // A browser sends other sites' forms without asking first, so a form must be known to be the page's own.
        if (isForm ? site !== 'here' : site === 'elsewhere') return { reply: otherSite }
        fields = await (isForm ? readForm : readBody)(context, schema, maxBytes)
        const about = await read(fields, isForm, spoken)
        if ('status' in about) return { reply: about }
        trace.licenseId = about.licenseKey
        const overLicenseLimit = await limits.ofLicense(trace)
        if (overLicenseLimit !== null) return { reply: overLicenseLimit }
        let page: Step['page']
        const reply = await limits.unlessGuessing(request, trace, async () => {
          const done = await about.run()
          page = done.page
          return done.reply
        })
        return { reply, page }
      }
      const { reply, page } = await step().catch((error: unknown): Step => ({ reply: replyOfError(error) }))
      if (!isForm) return reply
      return { ...reply, page: await (page?.() ?? firstPage(spoken, { fields, reply })) }
    },
  }
}

/** Answers a step with a body for a program, and a page for a person. */
export function shown(body: object, page: NonNullable<Step['page']>): Step {
  return { reply: answered(body), page }
}

/** The sentences about the codes that mean the same on every page. Every other code may pass. */
export function problemsOf({ problems }: SiteTexts): Partial<Record<GatewayCode, string>> {
  return {
    'test-license': problems.notActive,
    'license-expired': problems.expired,
    'license-suspended': problems.notActive,
    'license-inactive': problems.notActive,
    'too-many-requests': problems.tooMany,
  }
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
