import { randomUUID } from 'node:crypto'
import type { LicenseService } from '@latchkey/services'
import type { Logger } from '../../core/ports.ts'
import { describeProblem } from '../../core/problem.ts'
import type { ActivationScreen } from '../../shared/activation-screen.ts'
import { endsWithUuid, maskLicenseKey } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import type { Licensing } from '../licensing.ts'
import type { ActivationWindowOptions } from '../options/licensing-options.ts'
import type { IpcHandlers } from './serve-ipc.ts'

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
