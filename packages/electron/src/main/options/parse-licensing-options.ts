import { isAbsolute } from 'node:path'
import {
  baseUrlOption,
  checkOptions,
  isExposed,
  OptionsError,
  secretOption,
} from '@latchkey/commerce/options'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { BrowserWindow } from 'electron'
import * as z from 'zod/mini'
import type { RecordRules } from '../../core/device-record.ts'
import type { Logger } from '../../core/ports.ts'
import { recheckWithinGrace } from '../../core/schedule.ts'
import { originOf, parseUrl } from '../ipc/trusted-sender.ts'
import { readReleaseDate } from '../licensing.ts'
import type {
  ActivationWindowOptions,
  LeaseKey,
  LicensingOptions,
  ProvisioningOptions,
} from './licensing-options.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const maxTimerMs = 2_147_483_647

/**
 * Thrown if options of `createLicensing` or `openActivationWindow` are missing or unusable. The message names the function
 * and every such option, and contains no secret.
 */
export class LicensingOptionsError extends Error {
  override readonly name = 'LicensingOptionsError' as const
}

/** The checked {@link LicensingOptions}, with all defaults that don't depend on a running app. */
export interface LicensingSettings
  extends RecordRules,
    Pick<LicensingOptions, 'appId' | 'device' | 'releaseOnQuit' | 'logger' | 'directory' | 'deepLinkScheme'> {
  /** Where to look for a provided license key; `null` for nowhere. */
  readonly provisioning: ProvisioningOptions | null
  readonly service: LicenseService
  /** Whether the app passed an adapter, and not the address of the commerce service or a gateway. */
  readonly isAdapter: boolean
  /** Whether license keys can be any text, not only UUIDs. */
  readonly takesAnyKey: boolean
  /** Time limit of each request in milliseconds. @default the adapter's */
  readonly timeoutMs?: number | undefined
  /** What is sent and hidden in logs, besides license keys. @default nothing */
  readonly secrets?: readonly string[] | undefined
  /** `undefined` if answers are not signed. */
  readonly leaseKeys: readonly LeaseKey[] | undefined
  /** Address of the page for computers without internet; `undefined` if they can't be activated. */
  readonly offlineUrl: string | undefined
  readonly storeName: string
  readonly keychain: boolean
  readonly trustedOrigins: readonly string[]
  readonly window: ActivationWindowOptions
  /** What to log about options that are probably wrong. */
  readonly warnings: readonly string[]
}

/** What the options are compared with. */
export interface LaunchFacts {
  readonly isPackaged: boolean
  /** When this process started, in milliseconds since the epoch. @default not known */
  readonly startedAtMs?: number
}

/**
 * Checks the developer's options.
 *
 * @throws {LicensingOptionsError} naming every unusable option and what it must be, without its value.
 */
export function parseLicensingOptions(given: LicensingOptions, facts: LaunchFacts): LicensingSettings {
  const adapter = isService(given?.service) ? given.service : undefined
  const options = check('createLicensing', licensingSchema(adapter, facts), given)
  const { window, recheckHours = 24 } = options
  const graceMs = options.graceDays * dayMs
  const recheckMs = recheckWithinGrace(recheckHours * hourMs, graceMs)
  const isTooRare = options.recheckHours !== undefined && recheckMs < recheckHours * hourMs
  const releasedAtMs = options.expiry === 'updates' ? options.build?.releasedAt : undefined
  const customerPortal = adapter?.links?.customerPortal
  return {
    ...options,
    ...options.service,
    leaseKeys: options.leaseKeys?.keys,
    offlineUrl: options.offlineActivation?.url,
    graceMs,
    renewalGraceMs: options.renewalGraceDays * dayMs,
    recheckMs,
    renewalNoticeMs: options.renewalNoticeDays * dayMs,
    trialMs: options.trialDays * dayMs,
    releasedAtMs,
    provisioning: options.provisioning === true ? {} : (options.provisioning ?? null),
    trustedOrigins: options.trustedOrigins.flatMap((origin) => originOf(origin) ?? []),
    // The service's page for customers is the default of the link to it.
    window: customerPortal ? mergeWindowOptions({ links: { account: customerPortal } }, window) : window,
    warnings: [
      ...(isTooRare ? [tooRare(recheckMs / hourMs)] : []),
      ...(isThisLaunch(releasedAtMs, facts) ? [launchAsRelease] : []),
    ],
  }
}

/**
 * Checks the options of one activation window.
 *
 * @throws {LicensingOptionsError} naming every unusable option and what it must be.
 */
export function parseActivationWindowOptions(given: ActivationWindowOptions): ActivationWindowOptions {
  return check('openActivationWindow', windowSchema(), given)
}

/** Merges one window's options into the app's. Links and strings are merged, all other options are replaced. */
export function mergeWindowOptions(
  base: ActivationWindowOptions,
  own: ActivationWindowOptions,
): ActivationWindowOptions {
  return {
    ...base,
    ...own,
    links: { ...base.links, ...own.links },
    strings: { ...base.strings, ...own.strings },
  }
}

function check<Options>(caller: string, schema: z.ZodMiniType<Options>, given: unknown): Options {
  try {
    return checkOptions(caller, schema, given)
  } catch (error) {
    throw error instanceof OptionsError ? new LicensingOptionsError(`${error.message}.`) : error
  }
}

/** Its types are checked by the compiler. */
function isService(value: unknown): value is LicenseService {
  return hasFunctions(value, ['findLicenseKey', 'activate', 'validate', 'deactivate'])
}

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(Object(value), name) === 'function')
}

const text = z.string('must be text')
const yesOrNo = z.boolean('must be true or false')

/** A text of one line that is not blank. */
function line(rule: string): z.ZodMiniString<string> {
  return matching(
    rule,
    (value) => value.trim() !== '' && value.length <= 200 && !/[^ -~\u00a0-\uffff]/.test(value),
  )
}

function matching(rule: string, isRight: (value: string) => boolean): z.ZodMiniString<string> {
  return z.string(rule).check(z.refine(isRight, rule))
}

function pattern(regex: RegExp, rule: string): z.ZodMiniString<string> {
  return z.string(rule).check(z.regex(regex, rule))
}

function between(least: number, most: number, rule: string): z.ZodMiniNumber<number> {
  return z.number(rule).check(z.gte(least, rule), z.lte(most, rule))
}

const ownHeaders = ['authorization', 'content-type', 'accept']

function addressSchema({ isPackaged }: LaunchFacts) {
  return z
    .strictObject(
      {
        baseUrl: baseUrlOption,
        accessToken: z.optional(secretOption),
        allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: z.optional(yesOrNo),
        allowInsecure: z.optional(yesOrNo),
        licenseKeys: z.optional(z.enum(['uuid', 'any'])),
        timeout: z.optional(
          between(
            100,
            maxTimerMs,
            `must be a number of milliseconds, at least 100 and at most ${maxTimerMs}`,
          ),
        ),
        headers: z.optional(
          z.record(z.string(), text, 'must be an object whose values are text').check(
            z.refine(
              (given) => !Object.keys(given).some((name) => ownHeaders.includes(name.toLowerCase())),
              'must not set authorization, content-type or accept, which Latchkey sets itself; pass a token as service.accessToken',
            ),
            // As specified by RFC 9110. `new Headers()` would also check it, but makes Node load its fetch while the app starts.
            z.refine(
              (given) =>
                Object.entries(given).every(
                  ([name, value]) =>
                    /^[\w!#$%&'*+.^`|~-]+$/u.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/u.test(value),
                ),
              'must contain only valid HTTP header names and values',
            ),
          ),
        ),
      },
      'must be an object with the baseUrl of your gateway or the license service, for example { baseUrl: "https://licensing.example.com/v1" }, or an adapter such as polar({ organizationId: "…" })',
    )
    .check(
      z.refine(({ baseUrl, allowInsecure }) => allowInsecure === true || !isExposed(baseUrl), {
        error:
          'must not be http: on another machine, where anyone on the network can read license keys: use https:, or set ' +
          'service.allowInsecure in a network you trust',
        path: ['baseUrl'],
      }),
      z.refine(
        ({ accessToken, allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: isAllowed }) =>
          accessToken === undefined || !isPackaged || isAllowed === true,
        {
          error:
            'must not be shipped in a packaged app, where every user can read it: it can list all your customers. Put a ' +
            'gateway (@latchkey/gateway) between app and service, and set service.baseUrl to it. Only if your service issues ' +
            'tokens restricted to the license routes, set service.allowAccessTokenInPackagedAppWhereEveryUserCanReadIt',
          path: ['accessToken'],
        },
      ),
    )
}

/** Reaches the commerce service or a gateway. */
function addressSettings({ timeout, ...options }: z.output<ReturnType<typeof addressSchema>>) {
  const { baseUrl, accessToken, allowInsecure, licenseKeys, headers = {} } = options
  return {
    service: commerce({ baseUrl, accessToken, allowInsecure, licenseKeys, headers }),
    isAdapter: false,
    takesAnyKey: licenseKeys === 'any',
    timeoutMs: timeout,
    // A header of only a few letters is no secret, and hiding it would mask normal words.
    secrets: [accessToken ?? '', ...Object.values(headers).filter((value) => value.length >= 8)],
  }
}

/** An adapter's options were checked by the function that created it. */
function adapterSchema(service: LicenseService, { isPackaged }: LaunchFacts) {
  const { name, links, vendorSecrets } = service
  const [secret] = vendorSecrets
  return z.pipe(
    z.unknown().check(
      z.refine(
        () => secret === undefined || !isPackaged,
        `must not contain ${secret} in a packaged app, where every user can read it: it gives access to your account at ` +
          `${name}. Leave it out, or put a gateway (@latchkey/gateway) between app and service`,
      ),
      // An adapter that the app wrote itself may have no links.
      z.refine(
        () => !links?.customerPortal || isHttpsUrl(links.customerPortal),
        `has the customerPortal of the ${name} adapter, which ${linkRule}`,
      ),
    ),
    z.transform(() => ({ service, isAdapter: true, takesAnyKey: true })),
  )
}

const leaseKeysRule =
  'must be the public part that `latchkey-gateway keys generate` prints: { keys: [{ kty: "OKP", crv: "Ed25519", x: … }] }'

const originRule =
  'must be an origin without a path, such as "app://notes" or "https://ui.example.com"; plain http: is allowed only for this computer'
const schemeRule = 'must be your own lowercase scheme, such as "notes", without "://"'
const daysRule = 'must be a number of days, 0 to 36500'
const hoursRule = 'must be a number of hours, at least 0.1'
const releaseRule =
  'must be a date, such as "2026-11-22T10:00:00Z": let your bundler set the date of this build'
const directoryRule = 'must be an absolute path'
const policyFileRule = 'must be an absolute path, or false'
const argumentRule = 'must be a name such as "license-key", without "--", or false'
const variableRule = 'must be a name such as "NOTES_LICENSE_KEY", or false'
const offlineRule =
  'must be an https: address without "#", for example "https://licensing.example.com/v1/offline"'

function orOff(schema: z.ZodMiniString<string>, rule: string) {
  return z.optional(z.union([z.literal(false), schema], rule))
}

/** Created for each call, because a launch needs it once. */
function licensingSchema(adapter: LicenseService | undefined, facts: LaunchFacts) {
  const days = (usual: number) => z._default(between(0, 36_500, daysRule), usual)
  const leaseKey = z.object(
    {
      kty: z.literal('OKP', leaseKeysRule),
      crv: z.literal('Ed25519', leaseKeysRule),
      x: pattern(/^[\w-]{43}$/u, leaseKeysRule),
      d: z.optional(
        z.undefined(
          'is a private key: anyone who has the app could sign leases with it. Pass only the public part. If you ever shipped this key, give the gateway a new one',
        ),
      ),
    },
    leaseKeysRule,
  )
  const releasedAt = z.pipe(
    z.unknown().check(z.refine((value) => readReleaseDate(value) !== null, releaseRule)),
    z.transform((value) => readReleaseDate(value) ?? undefined),
  )
  return z
    .strictObject(
      {
        appId: line('must name your app and never change, for example "com.example.notes"'),
        service:
          adapter === undefined
            ? z.pipe(addressSchema(facts), z.transform(addressSettings))
            : adapterSchema(adapter, facts),
        leaseKeys: z.optional(
          z.object(
            { keys: z.array(leaseKey, leaseKeysRule).check(z.minLength(1, leaseKeysRule)) },
            leaseKeysRule,
          ),
        ),
        offlineActivation: z.optional(
          z.strictObject(
            {
              url: z.pipe(
                z.pipe(
                  z.union([z.string(), z.instanceof(URL)], offlineRule),
                  z.transform((url) => parseUrl(String(url))?.href ?? ''),
                ),
                matching(offlineRule, (url) => /^https?:[^#]*$/u.test(url) && !isExposed(url)),
              ),
            },
            'must have the address of your gateway’s page, for example { url: "https://licensing.example.com/v1/offline" }',
          ),
        ),
        graceDays: days(14),
        renewalGraceDays: days(3),
        renewalNoticeDays: days(7),
        recheckHours: z.optional(between(0.1, Number.POSITIVE_INFINITY, hoursRule)),
        trialDays: days(0),
        expiry: z.optional(z.enum(['lock', 'updates'])),
        build: z.optional(z.strictObject({ releasedAt })),
        features: z.optional(
          z.custom<NonNullable<LicensingOptions['features']>>(
            (value) => typeof value === 'function',
            'must be a function that returns an array of text',
          ),
        ),
        provisioning: z.optional(
          z.union(
            [
              z.literal(true),
              z.strictObject({
                argument: orOff(pattern(/^[a-z][a-z0-9-]*$/u, argumentRule), argumentRule),
                variable: orOff(pattern(/^[A-Za-z_]\w*$/u, variableRule), variableRule),
                file: orOff(matching(policyFileRule, isAbsolute), policyFileRule),
              }),
            ],
            'must be true, or an object with argument, variable or file',
          ),
        ),
        device: z.optional(
          z.strictObject({
            label: z.optional(text),
            id: z.optional(line('must be text that is different on every machine')),
          }),
        ),
        devices: z.optional(z.enum(['all', 'own'])),
        releaseOnQuit: z.optional(yesOrNo),
        logger: z.optional(
          z.custom<Logger>(
            (value) => hasFunctions(value, ['debug', 'info', 'warn', 'error']),
            'must have the functions debug, info, warn and error, as console does',
          ),
        ),
        directory: z.optional(matching(directoryRule, isAbsolute)),
        storeName: z._default(
          pattern(/^[\w-]{1,64}$/u, 'must be a file name of letters, digits, - and _, without extension'),
          'license',
        ),
        keychain: z._default(yesOrNo, true),
        trustedOrigins: z._default(
          z.array(
            matching(originRule, (value) => originOf(value) !== null),
            'must be an array of origins',
          ),
          [],
        ),
        deepLinkScheme: z.optional(
          pattern(/^(?!https?$|file$|data$|javascript$)[a-z][a-z0-9+.-]{1,62}$/u, schemeRule),
        ),
        window: z._default(windowSchema(), {}),
      },
      'must be an object with at least appId and service',
    )
    .check(
      z.refine(({ expiry, build }) => expiry !== 'updates' || build !== undefined, {
        error: releaseRule,
        path: ['build', 'releasedAt'],
      }),
      z.refine(({ leaseKeys }) => leaseKeys === undefined || adapter === undefined, {
        error:
          'need a gateway that signs its answers: set service to { baseUrl } of your gateway, or leave leaseKeys out',
        path: ['leaseKeys'],
      }),
      z.refine(
        ({ offlineActivation, leaseKeys }) => offlineActivation === undefined || leaseKeys !== undefined,
        {
          error:
            'needs leaseKeys: the app accepts only signed answers. Print them with: latchkey-gateway keys public',
          path: ['offlineActivation'],
        },
      ),
      z.refine(
        ({ window, deepLinkScheme }) =>
          deepLinkScheme !== undefined || window.links?.buy?.includes('{return}') !== true,
        {
          error: 'has {return}, which needs deepLinkScheme: the link that brings a buyer back to the app',
          path: ['window', 'links', 'buy'],
        },
      ),
    )
}

const linkRule = 'must be an https:// address'
const localeRule = 'must be a language tag such as "de" or "pt-BR"'

function isHttpsUrl(value: string): boolean {
  const url = parseUrl(value)
  return url !== null && url.protocol === 'https:' && url.username === '' && url.password === ''
}

function windowSchema() {
  const linkWith = (...placeholders: readonly string[]) =>
    z.optional(
      z.string(linkRule).check(
        z.refine(isHttpsUrl, linkRule),
        z.refine(
          (value) => !/[{}]/u.test(placeholders.reduce((rest, known) => rest.replaceAll(known, ''), value)),
          `has a placeholder that does not exist: there is ${placeholders.join(' and ')}. Write other braces as %7B and %7D`,
        ),
      ),
    )
  const link = linkWith('{expiresAt}')
  return z.strictObject({
    title: z.optional(line('must be a line of text')),
    logo: z.optional(z.string('must be an absolute path or a data:image/… URL')),
    accent: z.optional(z.string('must be a CSS color such as "#0a7c66" or "teal"')),
    links: z.optional(
      z.strictObject({
        buy: linkWith('{expiresAt}', '{return}'),
        renew: link,
        coveredVersion: link,
        support: link,
        account: link,
        devices: link,
      }),
    ),
    locale: z.optional(
      matching(localeRule, (value) => {
        try {
          return Intl.getCanonicalLocales(value).length === 1
        } catch {
          return false
        }
      }),
    ),
    strings: z.optional(
      z.record(
        z.string(),
        z.string('must be text. Write a nested key with a dot, such as "problems.offline"'),
      ),
    ),
    parent: z.optional(
      z.custom<BrowserWindow>(
        (value) => typeof value === 'object' && value !== null && 'webContents' in value,
        'must be a BrowserWindow',
      ),
    ),
    prefilledText: z.optional(text),
  })
}

/** Whether a release date is between the start of this process and now. No bundler set it then. */
function isThisLaunch(releasedAtMs = 0, { startedAtMs = Number.POSITIVE_INFINITY }: LaunchFacts): boolean {
  return releasedAtMs > startedAtMs && releasedAtMs <= Date.now()
}

const launchAsRelease =
  'build.releasedAt is the time of this launch: let your bundler set it when it builds the app. ' +
  'Otherwise, a license that ends covers no launch after its end'

function tooRare(hours: number): string {
  return (
    'recheckHours is more than half of graceDays, so one failed check could lock a user out: ' +
    `the app checks every ${Number(hours.toFixed(2))} hours instead. Lower recheckHours, or raise graceDays`
  )
}
