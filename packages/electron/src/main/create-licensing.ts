import { app, BrowserWindow, dialog, net, powerMonitor, systemPreferences } from 'electron'
import { createLicensingCore } from '../core/licensing.ts'
import type { Logger } from '../core/ports.ts'
import type { ActivationScreen } from '../shared/activation-screen.ts'
import { hasFeature, type LicensingState } from '../shared/licensing-state.ts'
import { type ProblemCode, problemMessages } from '../shared/problem.ts'
import { createPorts, loadLater } from './adapters/create-ports.ts'
import { errorCode, isDiskFull } from './adapters/file-store.ts'
import { type DeepLink, listenForDeepLinks, onSummoned } from './app-events/deep-link.ts'
import { watchFirstPaint } from './app-events/first-paint.ts'
import { watchNetwork } from './app-events/watch-network.ts'
import { holdQuit, onQuit, watchQuit } from './app-events/watch-quit.ts'
import { createServiceHint, watchDevelopment } from './diagnosis/developer-hints.ts'
import { consoleLogger, createMaskedLogger, maskSecrets } from './diagnosis/masked-logger.ts'
import { connectWindows } from './ipc/serve-ipc.ts'
import { createSenderTrust } from './ipc/trusted-sender.ts'
import { type HasLeaseKeys, hasLeaseKeys, type Licensing, readReleaseDate } from './licensing.ts'
import type {
  ActivationWindowOptions,
  LicensingOptions,
  ProvisioningOptions,
} from './options/licensing-options.ts'
import {
  mergeWindowOptions,
  parseActivationWindowOptions,
  parseLicensingOptions,
} from './options/parse-licensing-options.ts'
import { createProvisioning, type Provisioning } from './provisioning.ts'
import { takeCommand } from './take-command.ts'
import { createActivationWindow } from './window/activation-window.ts'
import { describeScreen } from './window/describe-screen.ts'
import { createGates } from './window/gate.ts'

const noReleaseDate =
  'licensing.covers() got something that is not a date, so the build counts as released now. The app could download an update ' +
  'that locks its user out: pass the release date, such as "2026-11-22T10:00:00Z" or a Date, not a version'

/**
 * Creates the licensing of this app. Call it once, in the main process, before or after the app is ready. Nothing is
 * read or sent before you call `start`, `gate` or another method. If the main process of an app in development hasn't
 * called one 15 seconds after its first window was loaded, a warning is logged.
 *
 * @throws {LicensingOptionsError} if an option is missing or unusable.
 * @throws Error if it was called before and not disposed of, or if this isn't the main process of Electron 25 or newer.
 *
 * @example
 * const licensing = createLicensing({
 *   appId: 'com.example.notes',
 *   service: { baseUrl: 'https://licensing.example.com/v1' },
 * })
 * licensing.gate({ whenEntitled: () => createMainWindow() })
 */
export function createLicensing(options: LicensingOptions): Licensing {
  checkRuntime(process.type, process.versions.electron)
  const settings = parseLicensingOptions(options, {
    isPackaged: app.isPackaged,
    startedAtMs: performance.timeOrigin,
  })
  const { service, secrets = [], offlineUrl, deepLinkScheme: scheme } = settings
  const findLicenseKey = service.findLicenseKey.bind(service)
  const sentKeys = new Set<string>()
  const logger = createMaskedLogger(settings.logger ?? consoleLogger, secrets, sentKeys)

  for (const warning of settings.warnings) logger.warn(warning)
  const ports = createPorts(settings, logger, sentKeys)
  const provisioning = settings.provisioning && provisioningOf(settings.provisioning, logger)
  const core = createLicensingCore(
    { ...ports, findProvided: provisioning?.find, whenPainted: () => firstPaint.whenPainted() },
    settings,
  )
  let windowOptions = settings.window
  let launched: Promise<void> | null = null
  let isStarted = false
  let isUsed = false
  let isCommand = false
  let isDisposed = false

  /** A gateway's page for devices is the default of the link to one. Its address is never taken from an answer. */
  function withDevicesPage(window: ActivationWindowOptions): ActivationWindowOptions {
    if (!ports.connection.hasDevicesPage) return window
    return mergeWindowOptions({ links: { devices: `${service.baseUrl}/devices` } }, window)
  }

  function screenOf(window: ActivationWindowOptions): ActivationScreen {
    return describeScreen(window, settings, { title: app.getName(), locale: app.getLocale() }, logger)
  }

  function appWindows(): readonly BrowserWindow[] {
    return BrowserWindow.getAllWindows().filter(({ webContents }) => !activationWindow.owns(webContents.id))
  }

  /** Another process may use the record: one that only ran a command, or quits before it has read the record, keeps it. */
  function releaseSeat(): Promise<unknown> | null {
    const isOffline = core.state.license?.validUntil !== undefined
    const { status, problem } = core.state
    // An unreachable service frees nothing, and the next start would find no license.
    const isUnreachable = status === 'grace' || problem?.isRetryable === true
    if (isCommand || !isStarted || isOffline || isUnreachable) return null
    // Nothing may ask the user for a key now.
    stopEverything()
    // The key that an administrator provides activates the next start again.
    return core.deactivate(false)
  }

  function stopEverything(): void {
    for (const stop of stops.splice(0)) stop()
    network.stop()
    activationWindow.close()
  }

  async function launch(): Promise<void> {
    await app.whenReady()
    // A second instance of the app quits before it is ready, but still becomes ready.
    await whenStaying()
    if (isDisposed) return
    await core.start()
    isStarted = true
    if (isDisposed) return
    network.look()
    const onResume = (): void => core.check('resume')
    powerMonitor.on('resume', onResume)
    stops.push(() => powerMonitor.off('resume', onResume))
    // A second copy of the app, which a link may have started, writes the same record.
    app.on('browser-window-focus', core.refresh)
    stops.push(() => app.off('browser-window-focus', core.refresh))
    // The person who activates doesn't wait for that then.
    if (core.state.license === null) void firstPaint.whenPainted().then(ports.prepareForActivation)
  }

  async function startUp(): Promise<LicensingState> {
    if (isDisposed) throw new Error('Licensing was disposed of: call createLicensing() again.')
    // A launch that failed is tried again at the next call.
    launched ??= launch().catch((error: unknown) => {
      launched = null
      throw error
    })
    await launched
    return core.state
  }

  /** For a command that changes nothing. */
  async function readState(): Promise<LicensingState> {
    await app.whenReady()
    return core.read()
  }

  /** Makes every method wait until the app is ready, so that callers don't depend on the order. */
  async function whenStarted<Outcome>(verb: () => Promise<Outcome>): Promise<Outcome> {
    await startUp()
    return verb()
  }

  const licensing: Licensing & HasLeaseKeys = {
    [hasLeaseKeys]: settings.leaseKeys !== undefined,
    get state() {
      return core.state
    },
    start() {
      isUsed = true
      return startUp()
    },
    subscribe: core.subscribe,
    has: (feature) => hasFeature(core.state, feature),
    covers(releasedAt) {
      const releasedAtMs = readReleaseDate(releasedAt)
      const isNoDate = releasedAtMs === null && releasedAt != null
      if (isNoDate && settings.releasedAtMs !== undefined && !app.isPackaged) logger.warn(noReleaseDate)
      return core.covers(releasedAtMs)
    },
    // What a service of another kind signs holds the license key.
    lease: () => (settings.leaseKeys === undefined ? null : core.lease()),
    activate: (licenseKeyText) => whenStarted(() => core.activate(licenseKeyText)),
    reactivate: () => whenStarted(() => core.reactivate()),
    createOfflineRequest: (text) => whenStarted(() => core.createOfflineRequest(text)),
    activateOffline: (text) => whenStarted(() => core.activateOffline(text)),
    validate: () => whenStarted(() => core.validate()),
    cancelActivation: () => whenStarted(() => core.cancelActivation()),
    deactivate: () => whenStarted(() => core.deactivate()),
    devices: () => whenStarted(() => core.devices()),
    releaseDevice: (deviceId) => whenStarted(() => core.releaseDevice(deviceId)),
    async runCommand(argv) {
      const command = takeCommand(argv)
      if (command === null) return null
      isUsed = true
      isCommand = true
      // Chromium reads `--activate=…` as a switch, which the app could pass on.
      app.commandLine.removeSwitch('activate')
      const { processTerminal, runCommand } = await loadLater()
      return runCommand(command, { ...licensing, readState }, processTerminal)
    },
    async openActivationWindow(own = {}) {
      const given = parseActivationWindowOptions(own)
      await startUp()
      if (isDisposed) return
      await activationWindow.open((isOpen) => {
        const isNews = given.prefilledText !== undefined
        // An open window keeps its options. New ones are added.
        if (!isOpen || isNews)
          windowOptions = mergeWindowOptions(isOpen ? windowOptions : settings.window, given)
        const { title = app.getName(), parent } = windowOptions
        return { title, parent, isNews }
      })
    },
    closeActivationWindow: () => activationWindow.leave(),
    gate(gateOptions) {
      isUsed = true
      const leave = openGate(gateOptions)
      if (isDisposed) leave()
      stops.push(leave)
      return leave
    },
    diagnose: () =>
      whenStarted(async () => {
        const { reportEnvironment } = await loadLater()
        const environment = await reportEnvironment(settings, ports)
        const provided = provisioning === null ? 'off' : await provisioning.describe()
        const lines = [...environment, `provisioning: ${provided}`, ...core.diagnose()]
        return maskSecrets(lines.join('\n'), secrets, sentKeys)
      }),
    async dispose() {
      if (isDisposed) return
      isDisposed = true
      stopEverything()
      await core.dispose()
      stopFinishing()
      stopHolding()
    },
  }

  // A second createLicensing() throws here, so it must not have added any listeners to the app yet.
  const stopConnecting = connectWindows(licensing, {
    isActivationWindow: (windowId) => activationWindow.owns(windowId),
    isTrusted: createSenderTrust(settings.trustedOrigins),
    optionsOf: (windowId) =>
      withDevicesPage(activationWindow.owns(windowId) ? windowOptions : settings.window),
    describeScreen: screenOf,
    getState: startUp,
    findLicenseKey,
    returnLink: scheme && `${scheme}://activate`,
    logger,
  })
  const { after } = ports.clock
  const firstPaint = watchFirstPaint(after)
  const { isQuitting, whenStaying, stop: stopWatchingQuit } = watchQuit(after)
  const stopFinishing = onQuit(() => {
    ports.store.finish()
    core.finish()
  }, ports.leaveLocks)
  const stopHolding = settings.releaseOnQuit ? holdQuit(releaseSeat, after) : () => {}
  const network = watchNetwork({
    clock: ports.clock,
    isOnline: () => net.isOnline(),
    isWaiting: () => core.state.problem?.isRetryable === true,
    onBack: () => core.check('online'),
  })
  const stops = [stopConnecting, stopWatchingQuit, firstPaint.stop, core.subscribe(network.look)]
  const activationWindow = createActivationWindow({
    isQuitting,
    whenStaying,
    async loadView() {
      const { createElectronWindowView } = await loadLater()
      const screen = (): ActivationScreen => screenOf(withDevicesPage(windowOptions))
      return createElectronWindowView({ directory: ports.directory, state: () => core.state, screen, logger })
    },
  })
  const development = app.isPackaged
    ? null
    : watchDevelopment({
        options,
        isUsed: () => isUsed,
        hasWindow: () => appWindows().length > 0,
        after,
        warn: logger.warn,
      })
  if (development !== null) stops.push(development.stop)
  const openGate = createGates({
    start: startUp,
    subscribe: core.subscribe,
    openWindow: () => licensing.openActivationWindow(),
    window: activationWindow,
    appWindows,
    onEntered: () => development?.noteEntered(),
    after,
    onSummoned,
    quit: () => app.quit(),
    showWindowError: (error) => showWindowError(error, settings.window.locale ?? app.getLocale()),
    logger,
  })

  if (scheme !== undefined) {
    const openWith = ({ name, parameter, text }: DeepLink): void => {
      // The link itself may hold a mistyped key.
      const form = `${scheme}://${name}?${parameter}=…`
      if (text === null) logger.warn(`A link has no usable ${parameter} parameter: ${form}`)
      licensing.openActivationWindow(text === null ? {} : { prefilledText: text }).catch((error: unknown) => {
        logger.error(`A link could not be shown: ${error instanceof Error ? error.name : typeof error}`)
      })
    }
    const links = { scheme, findLicenseKey, takesAnswers: offlineUrl !== undefined }
    stops.push(listenForDeepLinks(app, process.argv, links, openWith))
  }
  // In a packaged app this is mostly the user's network, so it is only logged if a logger is set.
  if (!app.isPackaged || settings.logger !== undefined) {
    stops.push(core.subscribe(createServiceHint(logger, settings, ports.connection)))
  }
  return licensing
}

/** Looks for a provided license key in this process and on this computer. */
function provisioningOf(options: ProvisioningOptions, logger: Logger): Provisioning {
  return createProvisioning(options, {
    platform: process.platform,
    appName: app.getName(),
    argv: process.argv,
    env: process.env,
    removeSwitch: (name) => app.commandLine.removeSwitch(name),
    readPreference: (name) => String(systemPreferences.getUserDefault(name, 'string') ?? ''),
    readPolicyFile: async (...file) => (await loadLater()).readPolicyFile(...file),
    logger,
  })
}

/** The oldest Electron version with all the APIs used here, most notably `protocol.handle`. */
const oldestElectron = 25

/** @throws Error that says what to do, if this isn't the main process of a recent Electron. */
export function checkRuntime(processType: string | undefined, electronVersion: string | undefined): void {
  if (processType !== 'browser' || electronVersion === undefined) {
    throw new Error(
      "createLicensing() belongs in Electron's main process. In a window, use @latchkey/electron/renderer; in a preload script, use @latchkey/electron/preload.",
    )
  }
  const major = Number.parseInt(electronVersion, 10)
  if (major < oldestElectron) {
    throw new Error(
      `Latchkey needs Electron ${oldestElectron} or newer, but this is ${electronVersion}. Update the electron package of your app.`,
    )
  }
}

/** Tells the user in a system dialog that the activation window could not be opened, and what to do. */
export async function showWindowError(error: unknown, locale: string): Promise<void> {
  const problem = isDiskFull(error) ? 'disk-full' : 'unexpected'
  const message = await messageIn(locale, problem)
  const code = errorCode(error)
  dialog.showErrorBox(app.getName(), code === '' ? message : `${message} (${code})`)
}

/** The window may have failed because a file of the app is gone, so the texts may be gone too. */
async function messageIn(locale: string, code: ProblemCode): Promise<string> {
  try {
    const { loadStrings } = await import('../texts/load-strings.ts')
    return (await loadStrings(locale)).strings[`problems.${code}`] ?? problemMessages[code]
  } catch {
    return problemMessages[code]
  }
}
