import { randomUUID } from 'node:crypto'
import type { LicenseService } from '@latchkey/services'
import { app, clipboard, ipcMain, shell, webContents } from 'electron'
import * as z from 'zod/mini'
import type { Logger } from '../../core/ports.ts'
import { describeProblem } from '../../core/problem.ts'
import { type ActivationScreen, activationLinks } from '../../shared/activation-screen.ts'
import { endsWithUuid, maskLicenseKey } from '../../shared/license-key-text.ts'
import {
  channelOf,
  eventChannels,
  type LicensingVerb,
  type LicensingVerbs,
  refusedWindow,
} from '../../shared/licensing-bridge.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import type { Licensing } from '../licensing.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'
import { originOf, pageOrigin, parseUrl, type SenderFacts } from './trusted-sender.ts'

/** A frame of a page. */
interface Frame {
  readonly url: string
  readonly parent: unknown
}

/** The part of an invoke event that is used here. `senderFrame` may be null, and its getters may throw. */
export interface IpcEvent {
  readonly senderFrame: Frame | null
  readonly sender: { readonly id: number; getType(): string }
}

/** The part of Electron's `ipcMain` that is used here. */
export interface IpcMainPort {
  handle(channel: string, listener: (event: IpcEvent, ...message: unknown[]) => unknown): void
  removeHandler(channel: string): void
}

type Message<Verb extends LicensingVerb> = Parameters<LicensingVerbs[Verb]>

/** One handler per verb. Its first argument is the id of the calling window. */
export type IpcHandlers = {
  readonly [Verb in LicensingVerb]: (
    windowId: number,
    ...message: Message<Verb>
  ) => ReturnType<LicensingVerbs[Verb]>
}

/** Why a message was refused: its sender isn't a trusted page, or its arguments don't match the schema. */
export type Refusal = 'untrusted-sender' | 'malformed-message'

/** Options for serving. */
export interface IpcOptions {
  readonly ipcMain: IpcMainPort
  readonly handlers: IpcHandlers
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (sender: SenderFacts) => boolean
  readonly onRefused: (channel: string, url: string | null, why: Refusal) => void
  /** Called when a handler failed. The window only gets a generic error. */
  readonly onFailed: (channel: string, error: unknown) => void
}

const nothing = z.tuple([])
const anyText = z.tuple([z.string()])
// A device handle, or a masked license key.
const shortName = z.tuple([z.string().check(z.maxLength(64))])
const linkName = z.tuple([z.enum(activationLinks)])

const schemas: { readonly [Verb in LicensingVerb]: z.ZodMiniType<Message<Verb>> } = {
  getState: nothing,
  activate: anyText,
  reactivate: nothing,
  validate: nothing,
  createOfflineRequest: anyText,
  activateOffline: anyText,
  cancelActivation: nothing,
  deactivate: nothing,
  devices: nothing,
  releaseDevice: shortName,
  openActivationWindow: nothing,
  closeActivationWindow: nothing,
  screen: nothing,
  openLink: linkName,
  clipboardKey: nothing,
  activateFromClipboard: shortName,
  copyDiagnosis: nothing,
}

const verbNames = Object.keys(schemas) as LicensingVerb[]

/**
 * Serves the verbs to the windows. Checks the sender first, then the arguments, and only then runs a handler.
 *
 * @returns a function that stops serving.
 */
export function serveIpc(options: IpcOptions): () => void {
  const { ipcMain, handlers, onRefused, onFailed } = options
  const channels: string[] = []

  function serve<Verb extends LicensingVerb>(verb: Verb): void {
    const channel = channelOf(verb)
    channels.push(channel)
    ipcMain.handle(channel, async (event, ...message) => {
      // Read it before the first await, because the frame no longer exists after its page navigates.
      const sender = senderOf(event, options.isActivationWindow)
      const windowId = event.sender.id
      if (!options.isTrusted(sender)) {
        onRefused(channel, sender.url, 'untrusted-sender')
        throw new Error(refusedWindow)
      }
      const schema: z.ZodMiniType<Message<Verb>> = schemas[verb]
      const parsed = z.safeParse(schema, message)
      if (!parsed.success) {
        onRefused(channel, sender.url, 'malformed-message')
        throw new Error('Latchkey refused this message')
      }
      try {
        return await handlers[verb](windowId, ...parsed.data)
      } catch (error) {
        onFailed(channel, error)
        throw new Error('Latchkey could not do this')
      }
    })
  }

  for (const verb of verbNames) serve(verb)

  return () => {
    for (const channel of channels) ipcMain.removeHandler(channel)
  }
}

function senderOf(event: IpcEvent, isActivationWindow: (windowId: number) => boolean): SenderFacts {
  try {
    return describe(event.senderFrame, event.sender, isActivationWindow)
  } catch {
    // Electron throws for a frame that was destroyed in the meantime.
    return { url: null, isMainFrame: false, isWebview: false, isActivationWindow: false }
  }
}

function describe(
  frame: Frame | null,
  contents: IpcEvent['sender'],
  isActivationWindow: (windowId: number) => boolean,
): SenderFacts {
  return {
    url: frame?.url ?? null,
    isMainFrame: frame !== null && frame.parent === null,
    isWebview: contents.getType() === 'webview',
    isActivationWindow: isActivationWindow(contents.id),
  }
}

/** Dependencies of the handlers, besides licensing itself. */
export interface IpcHandlerPorts {
  /** Starts licensing if the app hasn't, and resolves with the state. */
  readonly getState: () => Promise<LicensingState>
  /** Returns the options of the activation window with this id. */
  readonly optionsOf: (windowId: number) => ActivationWindowOptions
  readonly describeScreen: (options: ActivationWindowOptions) => ActivationScreen
  readonly findLicenseKey: LicenseService['findLicenseKey']
  /** The app's link that opens the activation window; `undefined` if it takes none. */
  readonly returnLink: string | undefined
  readonly logger: Pick<Logger, 'warn'>
  readonly openExternal: (url: string) => Promise<void>
  /** Returns the clipboard, which Electron loads then. Synchronous up to Electron 44, asynchronous from 45. */
  readonly clipboard: () => {
    readText(): string | Promise<string>
    writeText(text: string): unknown
  }
}

/** The functions that windows may call. Secrets stay in the main process. */
export function createIpcHandlers(licensing: Licensing, ports: IpcHandlerPorts): IpcHandlers {
  // Windows get opaque handles instead of the activations' ids, with which anyone could free a seat from elsewhere.
  const activationIds = new Map<string, string>()
  // The license keys that were offered to each window, by their masks. The clipboard may change before the click.
  const offeredKeys = new Map<string, string>()
  const offerOf = (windowId: number, maskedKey: string): string => `${windowId} ${maskedKey}`
  const problem = (code: ProblemCode): Problem => describeProblem({ code }, Date.now())

  /** A device keeps its handle for as long as the app runs. */
  function handleOf(activationId: string): string {
    for (const [handle, known] of activationIds) if (known === activationId) return handle
    const handle = randomUUID()
    activationIds.set(handle, activationId)
    return handle
  }

  return {
    getState: () => ports.getState(),
    activate: (_windowId, licenseKeyText) => licensing.activate(licenseKeyText),
    reactivate: () => licensing.reactivate(),
    validate: () => licensing.validate(),
    createOfflineRequest: (_windowId, licenseKeyText) => licensing.createOfflineRequest(licenseKeyText),
    activateOffline: (_windowId, text) => licensing.activateOffline(text),
    cancelActivation: () => licensing.cancelActivation(),
    deactivate: () => licensing.deactivate(),
    async devices() {
      const listed = await licensing.devices()
      if (!listed.ok) return listed
      return { ok: true, devices: listed.devices.map((device) => ({ ...device, id: handleOf(device.id) })) }
    },
    async releaseDevice(_windowId, handle) {
      const activationId = activationIds.get(handle)
      if (activationId !== undefined) return licensing.releaseDevice(activationId)
      return { ok: false, problem: problem('device-not-found') }
    },
    openActivationWindow: () => licensing.openActivationWindow(),
    async closeActivationWindow() {
      licensing.closeActivationWindow()
    },
    screen: async (windowId) => ports.describeScreen(ports.optionsOf(windowId)),
    async openLink(windowId, link) {
      const url = ports.optionsOf(windowId).links?.[link]
      // The page can show the versions that this license covers.
      const end = encodeURIComponent(licensing.state.license?.expiresAt ?? '')
      const back = encodeURIComponent(ports.returnLink ?? '')
      const address = url?.replaceAll('{expiresAt}', end).replaceAll('{return}', back)
      if (address === undefined) return { ok: true }
      try {
        await ports.openExternal(address)
        return { ok: true }
      } catch (error) {
        ports.logger.warn(`The system didn't open the link ${link}: ${String(error)}`)
        return { ok: false, address }
      }
    },
    async clipboardKey(windowId) {
      const found = ports.findLicenseKey(await ports.clipboard().readText())
      if (!found.ok || !isUnmistakable(found.licenseKey)) return null
      const maskedKey = maskLicenseKey(found.licenseKey)
      offeredKeys.set(offerOf(windowId, maskedKey), found.licenseKey)
      return { maskedKey }
    },
    async activateFromClipboard(windowId, maskedKey) {
      const licenseKey = offeredKeys.get(offerOf(windowId, maskedKey))
      if (licenseKey === undefined) {
        return { ok: false, problem: problem('no-license-key'), state: licensing.state }
      }
      const result = await licensing.activate(licenseKey)
      if (result.ok) offeredKeys.clear()
      return result
    },
    async copyDiagnosis() {
      await ports.clipboard().writeText(await licensing.diagnose())
    },
  }
}

/** Matches at least three groups of digits and capital letters. */
const groups = /^(?=.*\d)(?:[\dA-Z]{4,}-){2,}[\dA-Z]+$/u

/**
 * Whether a text that the user didn't paste is certainly a license key. Some services accept any word as one, and a
 * password on the clipboard must not be offered.
 */
function isUnmistakable(licenseKey: string): boolean {
  return endsWithUuid(licenseKey) || groups.test(licenseKey)
}

/** Dependencies of the connection to the windows. */
export interface WindowConnectionOptions
  extends Pick<IpcOptions, 'isActivationWindow' | 'isTrusted'>,
    Omit<IpcHandlerPorts, 'openExternal' | 'clipboard'> {
  readonly logger: Logger
}

/**
 * Serves the messages of all trusted windows, and sends them each new state.
 *
 * @returns a function that ends both.
 * @throws Error if another `createLicensing()` serves them already.
 */
export function connectWindows(licensing: Licensing, options: WindowConnectionOptions): () => void {
  const { isActivationWindow, isTrusted, logger } = options
  const stopServing = serveOnce({
    ipcMain,
    handlers: createIpcHandlers(licensing, {
      ...options,
      openExternal: (url) => shell.openExternal(url),
      clipboard: () => clipboard,
    }),
    isActivationWindow,
    isTrusted,
    onRefused: createRefusalLog(logger, () => app.getAppPath()),
    onFailed: (channel, error) => logger.error(`${channel} failed: ${String(error)}`),
  })
  const stopPushing = licensing.subscribe((state) => {
    for (const contents of webContents.getAllWebContents()) {
      try {
        if (contents.isDestroyed()) continue
        // Send to the frame whose address was checked, because the window may navigate.
        const { mainFrame } = contents
        if (isTrusted(describe(mainFrame, contents, isActivationWindow)))
          mainFrame.send(eventChannels.state, state)
      } catch {
        // The window is closing and doesn't need the state.
      }
    }
  })
  return () => {
    stopServing()
    stopPushing()
  }
}

/** Replaces Electron's unhelpful error for a second handler on the same channel. */
function serveOnce(options: IpcOptions): () => void {
  try {
    return serveIpc(options)
  } catch (cause) {
    throw new Error(
      'createLicensing() was called twice: use the result of the first call, or call its dispose() first.',
      { cause },
    )
  }
}

const malformed =
  'the message is malformed. Check the arguments, and build preload, pages and main process with one version of Latchkey.'

/** A hostile page could send messages without end. */
const mostLines = 50

/**
 * Logs refused messages: once per page that isn't trusted, and once per method whose message is malformed.
 *
 * @param appPath returns the folder or archive of the app.
 */
export function createRefusalLog(
  logger: Pick<Logger, 'warn'>,
  appPath: () => string,
): (channel: string, url: string | null, why: Refusal) => void {
  const told = new Set<string>()

  return (channel, url, why) => {
    const sender = describeSender(url)
    const isMalformed = why === 'malformed-message'
    const what = isMalformed ? channel : sender
    if (told.has(what) || told.size >= mostLines) return
    told.add(what)
    const reason = isMalformed
      ? malformed
      : `the sender is not a trusted page.${adviceFor(parseUrl(url ?? ''), appPath)}`
    logger.warn(`Refused ${channel} from ${sender}: ${reason}`)
  }
}

/** How to make such a page trusted if it is the developer's own; empty if that isn't possible. */
function adviceFor(url: URL | null, appPath: () => string): string {
  if (url?.protocol === 'file:') {
    return [
      ` Only files in the app's folder (${appPath()}) are trusted, and only in a window's main frame.`,
      'If this page is your own, start Electron with the project\'s folder ("electron .") instead of a file in it,',
      'or serve the page from a scheme of your own and name that in trustedOrigins.',
    ].join(' ')
  }
  const origin = url && pageOrigin(url)
  if (!origin) return ''
  if (originOf(origin) !== null)
    return ` If this page is your own, add its origin to trustedOrigins: '${origin}'.`
  return ' A page over plain http is only trusted on this computer: serve it over https.'
}

/** Describes an address well enough to find the page. Omits queries and the content of data: URLs. */
function describeSender(url: string | null): string {
  if (url === null) return 'a frame that is gone'
  const parsed = parseUrl(url)
  if (parsed === null) return 'a page without an address'
  const isPlain = ['http:', 'https:', 'file:'].includes(parsed.protocol)
  return isPlain
    ? `${parsed.protocol}//${parsed.host}${parsed.pathname}`.slice(0, 200)
    : `a page of the scheme ${parsed.protocol.slice(0, -1)}`
}
