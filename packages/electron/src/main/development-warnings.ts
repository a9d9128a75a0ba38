import type { LicensingOptions } from './options/licensing-options.ts'
import { parseUrl } from './origin.ts'

/** What to log, while the app is developed, about options that are allowed and probably don't do what they are for. */
export function developmentWarnings(
  { expiry, build, offlineActivation, deepLinkScheme }: LicensingOptions,
  { isReady }: { readonly isReady: boolean },
): readonly string[] {
  const offlinePath = offlineActivation && parseUrl(offlineActivation.url.toString())?.pathname
  return [
    // An explicit `expiry: 'lock'` is a choice.
    ...(build !== undefined && expiry === undefined
      ? ["build.releasedAt has no effect without expiry: 'updates'."]
      : []),
    ...(offlinePath?.endsWith('/offline') === false
      ? [
          "offlineActivation.url doesn't end with /offline, where a gateway serves its page: for example https://licensing.example.com/v1/offline.",
        ]
      : []),
    ...(deepLinkScheme !== undefined && isReady
      ? [
          'createLicensing() was called after the app was ready. On macOS, the link that starts the app arrives before that and is lost: with deepLinkScheme, call it earlier.',
        ]
      : []),
  ]
}
