import { isAbsolute } from 'node:path'
import type { LicenseService } from '@latchkey/services'
import { findAnyLicenseKey } from '@latchkey/services/license-key'
import * as v from 'valibot'
import type { Logger } from '../../core/ports.ts'
import { recheckWithinGrace } from '../../core/schedule.ts'
import { isThisMachine, originOf, parseUrl } from '../origin.ts'
import { hasAddress, misplacedAdapter, readAdapter } from './check-service-options.ts'
import {
  amount,
  days,
  daysInAnotherUnit,
  headers,
  leaseKeys,
  line,
  logger,
  text,
  windowSchema,
} from './field-schemas.ts'
import type { LeaseKey } from './lease-key.ts'
import type { KeyFinder } from './license-key-form.ts'
import type { ActivationWindowOptions, LicensingOptions } from './licensing-options.ts'
import { LicensingOptionsError } from './licensing-options-error.ts'
import { withCustomerPortal } from './merge-window-options.ts'
import { offlineActivationSchema, readOfflineUrl } from './offline-activation-option.ts'
import { describeIssues, optional, optionsOf, required } from './option-schema.ts'
import { type LaunchFacts, readReleaseDate, releaseWarnings } from './release-date.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

/** The checked {@link LicensingOptions}, with all defaults that don't depend on a running app. */
export interface LicensingSettings {
  readonly appId: string
  readonly service: {
    readonly baseUrl: string
    readonly accessToken: string | undefined
    readonly timeoutMs: number | undefined
    readonly headers: Readonly<Record<string, string>> | undefined
    readonly allowInsecure: boolean | undefined
    readonly licenseKeys: 'uuid' | 'any'
  }
  /** The adapter in use; `undefined` for the commerce service or a gateway. */
  readonly adapter: LicenseService | undefined
  /** Finds license keys that aren't UUIDs; `undefined` if all are. */
  readonly keyFinder: KeyFinder | undefined
  /** `undefined` if answers are not signed. */
  readonly leaseKeys: readonly LeaseKey[] | undefined
  /** Address of the page for computers without internet; `undefined` if they can't be activated. */
  readonly offlineUrl: string | undefined
  readonly graceMs: number
  readonly renewalGraceMs: number
  readonly recheckMs: number
  readonly renewalNoticeMs: number
  readonly trialMs: number
  readonly features: LicensingOptions['features']
  /** `undefined` if a license that has ended entitles nothing. */
  readonly releasedAtMs: number | undefined
  readonly device: { readonly label: string | undefined; readonly id: string | undefined }
  readonly logger: Logger | undefined
  readonly directory: string | undefined
  readonly storeName: string
  readonly trustedOrigins: readonly string[]
  readonly deepLinkScheme: string | undefined
  readonly window: ActivationWindowOptions
  /** What to log about options that are probably wrong. */
  readonly warnings: readonly string[]
}

const yesOrNo = optional(() => v.boolean('must be true or false'))

const serviceHint =
  'must be an object with the baseUrl of your gateway or the license service, for example { baseUrl: "https://licensing.example.com/v1" }, or an adapter such as polar({ organizationId: "…" })'
const notOfAdapter = '. An adapter takes its options itself, such as polar({ organizationId: "…" })'
const schemeHint = 'must be your own lowercase scheme, such as "notes", without "://"'
const originHint =
  'must be an origin without a path, such as "app://notes" or "https://ui.example.com"; plain http: is allowed only for this computer'

const serviceSchema = optionsOf(
  {
    baseUrl: required(() =>
      v.union(
        [v.string(), v.instance(URL)],
        'must be the address of your gateway or the license service, including its version segment',
      ),
    ),
    accessToken: optional(() => text('must be text')),
    allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: yesOrNo,
    allowInsecure: yesOrNo,
    licenseKeys: optional(() => v.picklist(['uuid', 'any'], 'must be "uuid" or "any"')),
    timeout: amount('must be a number of milliseconds, at least 100', 100),
    headers: optional(headers),
  },
  serviceHint,
)

const optionsSchema = optionsOf(
  {
    appId: required(() => line('must name your app and never change, for example "com.example.notes"')),
    service: required(() => serviceSchema),
    leaseKeys: optional(leaseKeys),
    offlineActivation: optional(offlineActivationSchema),
    graceDays: days,
    renewalGraceDays: days,
    renewalNoticeDays: days,
    recheckHours: amount('must be a number of hours, at least 0.1', 0.1),
    trialDays: days,
    expiry: optional(() => v.picklist(['lock', 'updates'], 'must be "lock" or "updates"')),
    build: optional(() => optionsOf({ releasedAt: optional(() => v.unknown()) }, 'must be an object')),
    features: optional(() =>
      v.custom<NonNullable<LicensingOptions['features']>>(
        (value) => typeof value === 'function',
        'must be a function that returns an array of text',
      ),
    ),
    device: optional(() =>
      optionsOf(
        {
          label: optional(() => text('must be text')),
          id: optional(() => line('must be text that is different on every machine')),
        },
        'must be an object',
      ),
    ),
    logger: optional(logger),
    directory: optional(() =>
      v.pipe(text('must be an absolute path'), v.check(isAbsolute, 'must be an absolute path')),
    ),
    storeName: optional(() =>
      v.pipe(
        text('must be a file name without extension'),
        v.regex(/^[\w-]{1,64}$/u, 'must be a file name of letters, digits, - and _, without extension'),
      ),
    ),
    trustedOrigins: optional(() =>
      v.array(
        v.pipe(
          text(originHint),
          v.check((value) => originOf(value) !== null, originHint),
        ),
        'must be an array of origins',
      ),
    ),
    deepLinkScheme: optional(() =>
      v.pipe(
        text(schemeHint),
        v.regex(/^(?!https?$|file$|data$|javascript$)[a-z][a-z0-9+.-]{1,62}$/u, schemeHint),
      ),
    ),
    window: optional(() => windowSchema),
  },
  'must be an object with at least appId and service',
)

/**
 * Checks the developer's options.
 *
 * @throws {LicensingOptionsError} naming the option and what it must be, without its value.
 */
export function parseLicensingOptions(options: LicensingOptions, facts: LaunchFacts): LicensingSettings {
  const adapter = readAdapter(options, facts)
  const parsed = optionsSchema.safeParse(
    adapter === undefined ? options : { ...options, service: { baseUrl: adapter.baseUrl } },
  )
  if (!parsed.success) {
    const misplaced = misplacedAdapter(options)
    if (misplaced !== null) throw new LicensingOptionsError(misplaced)
    // An adapter has options of its own.
    const fields = { ...optionsSchema.fields, ...(adapter && { service: optional(v.unknown) }) }
    const elsewhere =
      adapter === undefined
        ? { service: notOfAdapter }
        : { '': ', or pass it to the function that creates the adapter' }
    throw new LicensingOptionsError(
      describeIssues(
        parsed.error.issues,
        { ...optionsSchema, fields },
        { elsewhere, foreign: hasAddress(options) ? undefined : 'service' },
      ),
    )
  }

  const { service, device, window = {}, trustedOrigins = [], ...rest } = parsed.data
  const {
    graceDays = 14,
    renewalGraceDays = 3,
    renewalNoticeDays = 7,
    recheckHours = 24,
    trialDays = 0,
  } = rest
  if (service.allowInsecure !== true && isExposed(service.baseUrl.toString())) {
    throw new LicensingOptionsError(
      'service.baseUrl must not be http: on another machine, where anyone on the network can read license keys: use https:, ' +
        'or set service.allowInsecure in a network you trust',
    )
  }
  const wrongDays = daysInAnotherUnit(rest)
  if (wrongDays !== null && !facts.isPackaged) throw new LicensingOptionsError(wrongDays)
  const releasedAtMs = releasedAtOf(rest)
  const graceMs = graceDays * dayMs
  const recheckMs = recheckWithinGrace(recheckHours * hourMs, graceMs)
  const isTooRare = rest.recheckHours !== undefined && recheckMs < recheckHours * hourMs
  const isTokenAllowed = service.allowAccessTokenInPackagedAppWhereEveryUserCanReadIt === true
  if (service.accessToken !== undefined && facts.isPackaged && !isTokenAllowed) {
    throw new LicensingOptionsError(
      'service.accessToken must not be shipped in a packaged app, where every user can read it: it can list all ' +
        'your customers. Put a gateway (@latchkey/gateway) between app and service, and set service.baseUrl to it. ' +
        'Only if your service issues tokens restricted to the license routes, set ' +
        'service.allowAccessTokenInPackagedAppWhereEveryUserCanReadIt',
    )
  }
  return {
    appId: rest.appId,
    service: {
      baseUrl: service.baseUrl.toString(),
      accessToken: service.accessToken,
      timeoutMs: service.timeout,
      headers: service.headers,
      allowInsecure: service.allowInsecure,
      licenseKeys: service.licenseKeys ?? 'uuid',
    },
    adapter,
    keyFinder: adapter ?? (service.licenseKeys === 'any' ? { findLicenseKey: findAnyLicenseKey } : undefined),
    leaseKeys: rest.leaseKeys?.keys,
    offlineUrl: readOfflineUrl(rest),
    graceMs,
    renewalGraceMs: renewalGraceDays * dayMs,
    recheckMs,
    renewalNoticeMs: renewalNoticeDays * dayMs,
    trialMs: trialDays * dayMs,
    features: rest.features,
    releasedAtMs: rest.expiry === 'updates' ? releasedAtMs : undefined,
    device: { label: device?.label, id: device?.id },
    logger: rest.logger,
    directory: rest.directory,
    storeName: rest.storeName ?? 'license',
    trustedOrigins: trustedOrigins.flatMap((origin) => originOf(origin) ?? []),
    deepLinkScheme: rest.deepLinkScheme,
    window: withCustomerPortal(window, adapter),
    warnings: [
      ...(wrongDays === null ? [] : [wrongDays]),
      ...(isTooRare ? [tooRare(recheckMs / hourMs)] : []),
      ...releaseWarnings(releasedAtMs, rest.expiry === 'updates', facts),
    ],
  }
}

/**
 * Returns when this build was released; `undefined` if that isn't needed.
 *
 * @throws {LicensingOptionsError} if it is needed, or given, and can't be read.
 */
function releasedAtOf({
  expiry,
  build,
}: {
  readonly expiry?: string | undefined
  readonly build?: { releasedAt?: unknown } | undefined
}): number | undefined {
  if (expiry !== 'updates' && build === undefined) return undefined
  const releasedAtMs = readReleaseDate(build?.releasedAt)
  if (releasedAtMs !== null) return releasedAtMs
  throw new LicensingOptionsError(
    'build.releasedAt must be a date, such as "2026-11-22T10:00:00Z": let your bundler set the date of this build',
  )
}

function tooRare(hours: number): string {
  return (
    'recheckHours is more than half of graceDays, so one failed check could lock a user out: ' +
    `the app checks every ${Number(hours.toFixed(2))} hours instead. Lower recheckHours, or raise graceDays`
  )
}

/**
 * Checks the options of one activation window.
 *
 * @throws {LicensingOptionsError} naming the option and what it must be.
 */
export function parseActivationWindowOptions(options: ActivationWindowOptions): ActivationWindowOptions {
  const parsed = windowSchema.safeParse(options)
  if (parsed.success) return parsed.data
  const caller = 'openActivationWindow'
  throw new LicensingOptionsError(describeIssues(parsed.error.issues, windowSchema, { caller }), caller)
}

/** Whether an address is plain http: on another machine. */
function isExposed(address: string): boolean {
  const url = parseUrl(address)
  return url?.protocol === 'http:' && !isThisMachine(url.hostname)
}
