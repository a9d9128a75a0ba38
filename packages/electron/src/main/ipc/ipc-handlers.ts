import { randomUUID } from 'node:crypto'
import type { Logger } from '../../core/ports.ts'
import { describeProblem } from '../../core/problem.ts'
import type { ActivationScreen } from '../../shared/activation-screen.ts'
import { maskLicenseKey, readLicenseKeyText } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import type { Device } from '../../shared/results.ts'
import type { Licensing } from '../licensing.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'
import type { IpcHandlers } from './serve-ipc.ts'

/** Dependencies of the handlers, besides licensing itself. */
export interface IpcHandlerPorts {
  /** Starts licensing if the app hasn't, and resolves with the state. */
  readonly getState: () => Promise<LicensingState>
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

/** The functions that windows may call. Secrets stay in the main process. */
export function createIpcHandlers(licensing: Licensing, ports: IpcHandlerPorts): IpcHandlers {
  const handles = createDeviceHandles()
  const offered = createClipboardOffers()
  const findKey = ports.findLicenseKey ?? findUuid
  const problem = (code: ProblemCode): Problem => describeProblem({ code }, Date.now())

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
      return listed.ok ? { ok: true, devices: handles.conceal(listed.devices) } : listed
    },
    async releaseDevice(_windowId, deviceId) {
      const keyId = handles.reveal(deviceId)
      if (keyId !== null) return licensing.releaseDevice(keyId)
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

/**
 * License keys offered to windows in masked form. Activation uses the offered key even if the clipboard has changed.
 */
export interface ClipboardOffers {
  /** Remembers a key for a window. @returns the masked key */
  offer(windowId: number, licenseKey: string): string
  /** Returns the key offered to a window under this mask; `null` if there is none. */
  reveal(windowId: number, maskedKey: string): string | null
  /** Forgets every offer. */
  forget(): void
}

/** How many offers to keep, since several windows may have one. */
const mostOffers = 16

export function createClipboardOffers(): ClipboardOffers {
  const licenseKeys = new Map<string, string>()
  const nameOf = (windowId: number, maskedKey: string): string => `${windowId} ${maskedKey}`

  return {
    offer: (windowId, licenseKey) => {
      const maskedKey = maskLicenseKey(licenseKey)
      const name = nameOf(windowId, maskedKey)
      // Delete it first, so that it becomes the newest entry.
      licenseKeys.delete(name)
      licenseKeys.set(name, licenseKey)
      const [oldest] = licenseKeys.keys()
      if (oldest !== undefined && licenseKeys.size > mostOffers) licenseKeys.delete(oldest)
      return maskedKey
    },
    reveal: (windowId, maskedKey) => licenseKeys.get(nameOf(windowId, maskedKey)) ?? null,
    forget: () => licenseKeys.clear(),
  }
}

/** Opaque handles that replace the ids of keys in windows, because an id could be used to free the seat elsewhere. */
export interface DeviceHandles {
  /** Returns the devices with handles. A device keeps its handle for as long as the app runs. */
  conceal(devices: readonly Device[]): readonly Device[]
  /** Returns the id of the key behind a handle; `null` if the handle is unknown. */
  reveal(handle: string): string | null
}

export function createDeviceHandles(): DeviceHandles {
  const handles = new Map<string, string>()
  const keyIds = new Map<string, string>()

  function handleOf(keyId: string): string {
    const known = handles.get(keyId)
    if (known !== undefined) return known
    const handle = randomUUID()
    handles.set(keyId, handle)
    keyIds.set(handle, keyId)
    return handle
  }

  return {
    conceal: (devices) => devices.map((device) => ({ ...device, id: handleOf(device.id) })),
    reveal: (handle) => keyIds.get(handle) ?? null,
  }
}
