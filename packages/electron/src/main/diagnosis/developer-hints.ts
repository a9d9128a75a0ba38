import { isExposed } from '@latchkey/commerce/options'
import { app, BrowserWindow, type WebContents } from 'electron'
import type { ClockPort, Logger } from '../../core/ports.ts'
import { bridgeName } from '../../shared/licensing-bridge.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { ConnectionFacts } from '../adapters/app-service.ts'
import type { LicensingOptions } from '../options/licensing-options.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'

/** What the watch knows about an app. */
export interface DevelopmentFacts {
  readonly options: LicensingOptions
  /** Whether the main process has called `gate()` or `start()`. What pages call doesn't count. */
  readonly isUsed: () => boolean
  /** Whether the app has a window besides the activation window. */
  readonly hasWindow: () => boolean
  readonly after: ClockPort['after']
  readonly warn: (warning: string) => void
}

/** Watches an app while it is developed. */
export interface DevelopmentWatch {
  /** Looks for a window of the app soon. Call it when `whenEntitled` has settled. */
  noteEntered(): void
  stop(): void
}

/** How long an app in development may show a window before its main process uses licensing, in milliseconds. */
const usedByMs = 15_000
/** How long an app in development may take to open a window once `whenEntitled` has settled, in milliseconds. */
const openedByMs = 5_000
/** Without a gate, the app runs unlicensed, and nothing else shows that: its pages can still read the state. */
const noGate =
  'The main process has not called gate() or start(), so this app opens without a license. Reading the state does not change that: open your window with gate(). If your pages lock the app themselves, call start().'
const noLock =
  'The app has no single-instance lock. On Windows and Linux, a link then opens a second copy of the app instead of reaching this one: with deepLinkScheme, call app.requestSingleInstanceLock() first, and quit if it returns false.'
const noWindow =
  'whenEntitled opened no window. If your app has a window, does whenEntitled call the function that opens it?'

/** Warns of what locks users out, leaks a secret, or makes the app silent. */
export function watchDevelopment(facts: DevelopmentFacts): DevelopmentWatch {
  const { options, isUsed, hasWindow, after, warn } = facts
  const stops: (() => void)[] = []
  let hasEntered = false

  function warnOfMissingCalls(): void {
    if (!isUsed() && hasWindow()) warn(noGate)
    const isMac = process.platform === 'darwin'
    if (options.deepLinkScheme !== undefined && !isMac && !app.hasSingleInstanceLock()) warn(noLock)
  }

  // Setting a process's first timer takes a millisecond, so this waits until the first window has loaded.
  const lookLater = (): void => void stops.push(after(usedByMs, warnOfMissingCalls))
  const onWindow = (_event: unknown, { webContents }: BrowserWindow): void => {
    webContents.once('did-finish-load', lookLater)
  }
  if (BrowserWindow.getAllWindows().length > 0) lookLater()
  else app.once('browser-window-created', onWindow)
  stops.push(() => app.off('browser-window-created', onWindow))
  const onContents = (_event: unknown, contents: WebContents): void => repeatPreloadErrors(contents, warn)
  app.on('web-contents-created', onContents)
  stops.push(() => app.off('web-contents-created', onContents))
  secretWarnings(options.service).forEach(warn)

  return {
    noteEntered() {
      // An app without windows reads this once. One with a window needs no timer.
      if (hasEntered || hasWindow()) return
      hasEntered = true
      stops.push(after(openedByMs, () => !hasWindow() && warn(noWindow)))
    },
    stop() {
      for (const stop of stops.splice(0)) stop()
    },
  }
}

/**
 * Repeats in the terminal why a page finds no bridge. Electron and the page say so only in the developer tools of the
 * window, which nobody may have open.
 */
function repeatPreloadErrors(contents: WebContents, warn: DevelopmentFacts['warn']): void {
  const told = new Set<string>()
  const repeat = (text: string): void => {
    if (!told.has(text)) warn(text)
    told.add(text)
  }
  contents.on('preload-error', (_event, file, { message }) => {
    repeat(`Unable to load preload script ${file}: ${message}`)
  })
  // Electron 35 put the text into the event, and warns of listeners that declare the older arguments.
  contents.on('console-message', (...given: readonly unknown[]) => {
    const [event, , olderText] = given
    const text = String(Reflect.get(Object(event), 'message') ?? olderText)
    if (text.includes(`window.${bridgeName} is missing`)) repeat(`A page can't use licensing: ${text}`)
  })
}

/** Warns of a vendor's secret. An emulator's gives access to nothing. */
export function secretWarnings(service: LicensingOptions['service']): readonly string[] {
  if (!('vendorSecrets' in service)) return []
  const isEmulator = service.baseUrl.startsWith('http:') && !isExposed(service.baseUrl)
  if (isEmulator) return []
  return service.vendorSecrets.map(
    (secret) =>
      `service contains ${secret}, which gives access to your account at ${service.name}. A packaged app doesn't start with it: leave it out, or put a gateway (@latchkey/gateway) between app and service.`,
  )
}

/** What each problem says about the address, if the service settings are wrong. */
const findings: Readonly<Partial<Record<ProblemCode, string>>> = {
  offline: 'Nothing answered at',
  'unexpected-answer': 'Something that is not the license service answered at',
  'license-not-found': 'There is no such license at',
  'test-license-key': 'The license key is one of the test mode at',
  'wrong-product': 'The license key is for another product at',
  'untrusted-answer': 'No public key in this app verifies the signature of the answer from',
  misconfigured: 'Apps may not use the service at',
}

/** What an administrator can mend, if the license key is theirs. */
const aboutKey: ReadonlySet<ProblemCode> = new Set(['license-not-found', 'wrong-product', 'test-license-key'])

/** What to check if `service` is an address. */
const addressHints: Readonly<Partial<Record<ProblemCode, string>>> = {
  offline:
    'Does the emulator or gateway run on this port, and is the start of the address right, http:// or https://?',
  'unexpected-answer': 'Does the address include its version segment, such as /v1?',
  'license-not-found':
    "If the key is right, does the address include its version segment, such as /v1? For a gateway, are its LATCHKEY_UPSTREAM and licenseKeys: 'any' right?",
}

/** What to check if `service` is an adapter, which has an address of its own. */
const adapterHints: Readonly<Partial<Record<ProblemCode, string>>> = {
  'license-not-found':
    'If the key is right, it belongs to another organization, store or account, or to the test mode.',
}

/**
 * Logs once what may be wrong with the address or the product of the service. To the user it looks like a network problem
 * or a wrong key.
 *
 * @param connection has the code of why the last request had no answer.
 * @returns a function to call with every state.
 */
export function createServiceHint(
  logger: Logger,
  { service, isAdapter }: Pick<LicensingSettings, 'service' | 'isAdapter'>,
  connection: Readonly<Pick<ConnectionFacts, 'networkError'>>,
): (state: LicensingState) => void {
  let isTold = false

  return ({ problem }) => {
    const finding = problem === null ? undefined : findings[problem.code]
    const hints = isAdapter ? adapterHints : addressHints
    if (isTold || problem === null || finding === undefined) return
    const { source } = problem
    const isProvided = source !== undefined && aboutKey.has(problem.code)
    if (!isAdapter && hints[problem.code] === undefined && !isProvided) return
    isTold = true
    const reason = problem.code === 'offline' ? connection.networkError : problem.httpStatus
    const facts = reason == null ? '' : ` (${typeof reason === 'number' ? `status ${reason}` : reason})`
    const hint = hints[problem.code]
    const what = isAdapter ? `the settings of the ${service.name} adapter` : 'service.baseUrl'
    const advice = isProvided
      ? `Compare the license key from ${source} with the one that you bought. If it is the same, ask the vendor of the app.`
      : `${hint ? `${hint} ` : ''}Check ${what}.`
    logger.warn(`${finding} ${service.baseUrl}${facts}. ${advice}`)
  }
}
