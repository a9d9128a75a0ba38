import { checkOptions } from '@latchkey/commerce/options'
import { app, dialog } from 'electron'
import * as z from 'zod/mini'
import { formatDay } from '../shared/timestamp.ts'
import { type HasLeaseKeys, hasLeaseKeys, type Licensing } from './licensing.ts'

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
  const checked = checkOptions('guardUpdates', optionsSchema, options)
  const { whenNotCovered = showOnce(licensing), sendsLease = false } = checked
  if (sendsLease && !sendsLeases(licensing)) {
    throw new TypeError(
      'guardUpdates: sendsLease needs the option leaseKeys of createLicensing. Without it, there is no lease to send.',
    )
  }
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

function sendsLeases({ [hasLeaseKeys]: has = true }: Licensing & HasLeaseKeys): boolean {
  return has
}

function isUpdater(value: unknown): boolean {
  return typeof Reflect.get(Object(value), 'isUpdateSupported') === 'function'
}

const optionsSchema = z.strictObject({
  whenNotCovered: z.optional(
    z.custom<(release: FoundRelease) => void>((value) => typeof value === 'function', 'must be a function'),
  ),
  sendsLease: z.optional(z.boolean()),
})

/** electron-updater removes this header on a redirect to another origin, such as a presigned bucket, and no other one. */
const leaseHeader = 'authorization'

function showOnce(licensing: Licensing): (release: FoundRelease) => void {
  const shown = new Set<string>()
  return ({ version }) => {
    if (shown.has(version)) return
    shown.add(version)
    void showNotCovered(version, licensing.state.license?.expiresAt ?? null)
  }
}

/**
 * Tells the user in a system dialog that an update was found which the license doesn't cover. Never rejects.
 *
 * @param expiresAt when the license ends; `null` if the service doesn't say.
 */
async function showNotCovered(version: string, expiresAt: string | null): Promise<void> {
  try {
    await app.whenReady()
    const { loadStrings } = await import('../texts/load-strings.ts')
    const { locale, strings } = await loadStrings(app.getLocale())
    const end = expiresAt === null ? null : formatDay(expiresAt, locale)
    // The second line is about a version that is already installed.
    const [covered = ''] = strings.notCoveredLead.split('\n')
    await dialog.showMessageBox({
      type: 'info',
      message: `${app.getName()} ${version}`,
      detail: end === null ? (strings['problems.license-expired'] ?? '') : covered.replace('{date}', end),
    })
  } catch {
    // A file of the app is gone, or the app quits: the update is just not offered.
  }
}
