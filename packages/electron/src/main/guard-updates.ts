import { whenLoaded } from '../shared/on-demand.ts'
import type { Licensing } from './licensing.ts'
import { didYouMean } from './options/nearest-name.ts'
import { type HasUpdateSettings, updateSettings } from './update-settings.ts'

/** A release that an updater found. */
export interface FoundRelease {
  readonly version: string
  /** ISO 8601. A release without one counts as released now. */
  readonly releaseDate?: string | undefined
}

/** The part of electron-updater's `autoUpdater` that is used here. It needs version 6.6 or later. */
export interface GuardedUpdater {
  /** Whether a release that was found may be downloaded. */
  isUpdateSupported(release: FoundRelease): boolean | Promise<boolean>
  /** Sent with every request to the feed. */
  requestHeaders: Record<string, number | string | string[] | undefined> | null
}

/** Options of {@link guardUpdates}. */
export interface GuardUpdatesOptions {
  /**
   * Called for every release that was found and isn't downloaded because the license doesn't cover it.
   * @default shows the user a system dialog, once per version and launch
   */
  readonly whenNotCovered?: ((release: FoundRelease) => void) | undefined
  /**
   * Sends the gateway's lease with every request of the updater, as `authorization: Bearer <lease>`, for a feed that only
   * licensed users can read. Needs `leaseKeys`, and your own feed over https:.
   * @default false
   */
  readonly sendsLease?: boolean | undefined
}

/**
 * Keeps electron-updater from downloading a release that the license doesn't cover (`expiry: 'updates'`), which would
 * lock the user out. The rest of the app gets `update-not-available` for such a release. Call it once, before the first
 * check. It doesn't call the licensing service, so updates work while the service is unreachable.
 *
 * @param licensing the result of `createLicensing`.
 * @param autoUpdater electron-updater's `autoUpdater`.
 * @param options what else it does.
 * @throws TypeError if an argument isn't what it should be, if the updater is older than electron-updater 6.6, if an option is
 * unknown, or if `sendsLease` is set without `leaseKeys`.
 *
 * @example
 * import { guardUpdates } from '@latchkey/electron/updates'
 *
 * guardUpdates(licensing, autoUpdater)
 * await autoUpdater.checkForUpdatesAndNotify()
 */
export function guardUpdates(
  licensing: Licensing,
  autoUpdater: GuardedUpdater,
  options: GuardUpdatesOptions = {},
): void {
  if (isUpdater(licensing)) {
    throw new TypeError('guardUpdates: its arguments are swapped. Call guardUpdates(licensing, autoUpdater).')
  }
  if (!('covers' in Object(licensing))) {
    throw new TypeError(
      'guardUpdates: its first argument must be the result of createLicensing. Call guardUpdates(licensing, autoUpdater).',
    )
  }
  if (!isUpdater(autoUpdater)) {
    throw new TypeError('guardUpdates() needs the autoUpdater of electron-updater 6.6 or later.')
  }
  checkOptions(options, licensing)
  const { whenNotCovered = showOnce(licensing), sendsLease = false } = options
  const isSupported = autoUpdater.isUpdateSupported.bind(autoUpdater)
  autoUpdater.isUpdateSupported = async (release) => {
    if (!(await isSupported(release))) return false
    await licensing.start()
    if (licensing.covers(release.releaseDate)) return true
    // If there is no license here, its record waits to be opened, so it isn't known yet what it covers.
    if (licensing.state.license !== null) whenNotCovered(release)
    return false
  }
  if (!sendsLease) return
  const setHeader = (): void => {
    const { [leaseHeader]: _, ...others } = autoUpdater.requestHeaders ?? {}
    const lease = licensing.lease()
    autoUpdater.requestHeaders = { ...others, ...(lease !== null && { [leaseHeader]: `Bearer ${lease}` }) }
  }
  setHeader()
  licensing.subscribe(setHeader)
}

function isUpdater(value: unknown): boolean {
  return typeof Reflect.get(Object(value), 'isUpdateSupported') === 'function'
}

const optionNames = ['whenNotCovered', 'sendsLease']

/** @throws TypeError if an option is unknown, or can't work with the options of `createLicensing`. */
function checkOptions(options: GuardUpdatesOptions, licensing: Licensing & HasUpdateSettings): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(
      'guardUpdates: the third argument is an object, such as { whenNotCovered: (release) => … }.',
    )
  }
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue
    throw new TypeError(
      `guardUpdates: ${name} is not an option${didYouMean(name, optionNames) || `: it has ${optionNames.join(', ')}`}.`,
    )
  }
  const { whenNotCovered, sendsLease } = options
  if (whenNotCovered !== undefined && typeof whenNotCovered !== 'function') {
    throw new TypeError('guardUpdates: whenNotCovered must be a function.')
  }
  if (sendsLease !== undefined && typeof sendsLease !== 'boolean') {
    throw new TypeError('guardUpdates: sendsLease must be true or false.')
  }
  const { [updateSettings]: settings } = licensing
  if (settings === undefined) return
  if (sendsLease && !settings.hasLeaseKeys) {
    throw new TypeError(
      'guardUpdates: sendsLease needs the option leaseKeys of createLicensing. Without it, there is no lease to send.',
    )
  }
  if (sendsLease || settings.endsUpdates) return
  settings.warn?.(
    "guardUpdates() has no effect: every release is covered without expiry: 'updates' in the options of createLicensing.",
  )
}

/** electron-updater removes this header on a redirect to another origin, such as a presigned bucket, and no other one. */
const leaseHeader = 'authorization'

function showOnce(licensing: Licensing): (release: FoundRelease) => void {
  const shown = new Set<string>()
  return ({ version }) => {
    if (shown.has(version)) return
    shown.add(version)
    // If a file of the app is gone, the update is just not offered.
    whenLoaded(
      () => import('./window/show-not-covered.ts'),
      ({ showNotCovered }) => void showNotCovered(version, licensing.state.license?.expiresAt ?? null),
    )
  }
}
