import type { LicensingOptions, ServiceOptions } from '../options/licensing-options.ts'
import { isThisMachine, parseUrl } from '../origin.ts'

/** What to log, while the app is developed, about options that are allowed and probably don't do what they are for. */
export function developmentWarnings(
  { service, window, expiry, build, offlineActivation, deepLinkScheme }: LicensingOptions,
  { isReady }: { readonly isReady: boolean },
): readonly string[] {
  const offlinePage = offlineActivation && parseUrl(offlineActivation.url.toString())
  return [
    ...secretWarnings(service),
    ...ignoredWarnings(service),
    // An explicit `expiry: 'lock'` is a choice.
    ...(build !== undefined && expiry === undefined
      ? ["build.releasedAt has no effect without expiry: 'updates'."]
      : []),
    ...(window?.accent !== undefined && isTransparent(window.accent)
      ? ['window.accent is transparent, so the built-in accent is used. Set an opaque color.']
      : []),
    ...(offlinePage ? offlineWarnings(offlinePage, service.baseUrl.toString()) : []),
    ...(deepLinkScheme !== undefined && isReady
      ? [
          'createLicensing() was called after the app was ready. On macOS, the link that starts the app arrives before that and is lost: with deepLinkScheme, call it earlier.',
        ]
      : []),
  ]
}

/** Whether a CSS color in one of the usual notations isn't opaque. */
function isTransparent(color: string): boolean {
  const text = color.trim().toLowerCase()
  const [, digit, digits] = /^#(?:[\da-f]{3}([\da-f])|[\da-f]{6}([\da-f]{2}))$/u.exec(text) ?? []
  const [, alpha] = /(?:\/|^(?:rgb|hsl)a?\((?:[^,]*,){3})\s*([\d.]+%?)\s*\)$/u.exec(text) ?? []
  const isOpaque = /^(?:f|ff|100%|1(?:\.0*)?)$/u.test(digit ?? digits ?? alpha ?? '1')
  return text === 'transparent' || !isOpaque
}

function offlineWarnings({ host, pathname }: URL, baseUrl: string): readonly string[] {
  const gateway = parseUrl(baseUrl)
  const wanted = `${gateway?.pathname.replace(/\/$/u, '')}/offline`
  if (gateway?.host === host && pathname !== wanted) {
    return [
      `offlineActivation.url isn't where a gateway at service.baseUrl serves its page: ${gateway.origin}${wanted}.`,
    ]
  }
  if (pathname.endsWith('/offline')) return []
  return [
    "offlineActivation.url doesn't end with /offline, without a slash behind it, where a gateway serves its page: for example https://licensing.example.com/v1/offline.",
  ]
}

/** An emulator's secret gives access to nothing. */
function secretWarnings(service: LicensingOptions['service']): readonly string[] {
  if (!('vendorSecrets' in service) || isThisMachine(parseUrl(service.baseUrl)?.hostname ?? '')) return []
  return service.vendorSecrets.map(
    (secret) =>
      `service contains ${secret}, which gives access to your account at ${service.name}. A packaged app doesn't start with it: leave it out, or put a gateway (@latchkey/gateway) between app and service.`,
  )
}

/** The options of an address, besides `baseUrl`. */
const addressOptions = Object.keys({
  accessToken: true,
  allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: true,
  allowInsecure: true,
  licenseKeys: true,
  timeout: true,
  headers: true,
} satisfies Record<keyof Omit<ServiceOptions, 'baseUrl'>, true>)

/** An adapter of your own may use such a field itself, so this is no error. */
function ignoredWarnings(service: LicensingOptions['service']): readonly string[] {
  if (!('findLicenseKey' in service)) return []
  const ignored = addressOptions.find((name) => Object.hasOwn(service, name))
  if (ignored === undefined) return []
  return [
    `service.${ignored} is an option for an address, and Latchkey ignores it beside the adapter ${service.name}. Leave it out, or pass it to the function that creates the adapter if that has such an option.`,
  ]
}

/** What only shows once an app runs. */
export interface RunningApp {
  readonly platform: NodeJS.Platform
  /** Whether the main process has called `gate()`, `start()` or a method that asks. What pages call doesn't count. */
  readonly isUsed: boolean
  /** Whether the main process has read what is only known once licensing has started, such as its state. */
  readonly isRead: boolean
  /** Whether the app shows a window of its own. */
  readonly hasWindow: boolean
  readonly hasSingleInstanceLock: boolean
}

/** What to log, a while after an app in development has shown its first window, about calls that are probably missing. */
export function lateWarnings(
  { deepLinkScheme }: LicensingOptions,
  { platform, isUsed, isRead, hasWindow, hasSingleInstanceLock }: RunningApp,
): readonly string[] {
  return [
    // Without a gate, the app runs unlicensed, and nothing else shows that: its pages can still read the state.
    ...(!isUsed && hasWindow
      ? [
          'The main process has not called gate() or start(), so this app opens without a license. Reading the state does not change that: open your window with gate(). If your pages lock the app themselves, call start().',
        ]
      : []),
    // The activation window is open instead of the app's.
    ...(!isUsed && !hasWindow && isRead
      ? [
          'The main process reads licensing.state, but has not called gate() or start(). Until then, the state is unlicensed on every device: open your window with gate().',
        ]
      : []),
    ...(deepLinkScheme !== undefined && platform !== 'darwin' && !hasSingleInstanceLock
      ? [
          'The app has no single-instance lock. On Windows and Linux, a link then opens a second copy of the app instead of reaching this one: with deepLinkScheme, call app.requestSingleInstanceLock() first, and quit if it returns false.',
        ]
      : []),
  ]
}
