import type { Logger } from '../../core/ports.ts'
import { describeProblem } from '../../core/problem.ts'
import type { ActivationScreen } from '../../shared/activation-screen.ts'
import { readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import type { Licensing } from '../licensing.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'
import { createClipboardOffers } from './clipboard-offers.ts'
import { createDeviceHandles } from './device-handles.ts'
import type { IpcHandlers } from './serve-ipc.ts'

/** Dependencies of the handlers, besides licensing itself. */
export interface IpcHandlerPorts {
  /** Returns the options of the activation window with this id. */
  readonly optionsOf: (windowId: number) => ActivationWindowOptions
  readonly describeScreen: (options: ActivationWindowOptions) => Promise<ActivationScreen>
  /** Finds the license key in text from the clipboard; `null` if there is none. @default finds a UUID */
  readonly findLicenseKey?: ((text: string) => string | null) | undefined
  readonly logger: Pick<Logger, 'warn'>
  readonly openExternal: (url: string) => Promise<void>
  /** Synchronous up to Electron 44, asynchronous from 45. */
  readonly clipboard: {
    readText(): string | Promise<string>
    writeText(text: string): unknown
  }
}

const unknownDevice =
  'A page called releaseDevice() with an id that devices() has not returned since the app started. Pass the id of one of its devices.'

/** The functions that windows may call. Secrets stay in the main process. */
export function createIpcHandlers(
  licensing: Licensing,
  ports: IpcHandlerPorts,
): Omit<IpcHandlers, 'getState'> {
  const handles = createDeviceHandles()
  const offered = createClipboardOffers()
  const findKey = ports.findLicenseKey ?? findUuid
  let isWarned = false
  const problem = (code: ProblemCode): Problem => describeProblem({ code }, Date.now())

  return {
    activate: (_windowId, licenseKeyText) => licensing.activate(licenseKeyText),
    reactivate: () => licensing.reactivate(),
    validate: () => licensing.validate(),
    createOfflineRequest: (_windowId, licenseKeyText) => licensing.createOfflineRequest(licenseKeyText),
    activateOffline: (_windowId, text) => licensing.activateOffline(text),
    cancelActivation: () => licensing.cancelActivation(),
    deactivate: () => licensing.deactivate(),
    async devices() {
      const listed = await licensing.devices()
      return listed.ok ? { ok: true, devices: handles.conceal(listed.devices) } : listed
    },
    async releaseDevice(_windowId, deviceId) {
      const keyId = handles.reveal(deviceId)
      if (keyId !== null) return licensing.releaseDevice(keyId)
      // A list of before the app's start has other ids, too. Once is enough, because the page may be hostile.
      if (!isWarned) ports.logger.warn(unknownDevice)
      isWarned = true
      return { ok: false, problem: problem('device-not-found') }
    },
    openActivationWindow: () => licensing.openActivationWindow(),
    async closeActivationWindow() {
      licensing.closeActivationWindow()
    },
    screen: (windowId) => ports.describeScreen(ports.optionsOf(windowId)),
    async openLink(windowId, link) {
      const url = ports.optionsOf(windowId).links?.[link]
      // The page can show the versions that this license covers.
      const end = encodeURIComponent(licensing.state.license?.expiresAt ?? '')
      const address = url?.replaceAll('{expiresAt}', end)
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
      const licenseKey = findKey(await ports.clipboard.readText())
      return licenseKey === null ? null : { maskedKey: offered.offer(windowId, licenseKey) }
    },
    async activateFromClipboard(windowId, maskedKey) {
      const licenseKey = offered.reveal(windowId, maskedKey)
      if (licenseKey === null) {
        return { ok: false, problem: problem('no-license-key'), state: licensing.state }
      }
      const result = await licensing.activate(licenseKey)
      if (result.ok) offered.forget()
      return result
    },
    async copyDiagnosis() {
      await ports.clipboard.writeText(await licensing.diagnose())
    },
  }
}

function findUuid(text: string): string | null {
  const read = readLicenseKeyText(text)
  return read.ok ? read.licenseKey : null
}
