import {
  type Emulator,
  type EmulatorControl,
  type FaceName,
  type FaultRule,
  startEmulator,
} from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { expect, onTestFinished } from 'vitest'
import { formats } from '../../../emulator/src/formats/formats.ts'
import { signatureHeaders } from '../../../emulator/src/formats/keygen.ts'
import { createSignedAnswers } from '../../src/main/adapters/leases.ts'
import {
  createTestDevice,
  dayMs,
  type TestDevice,
  type TestDeviceOptions,
  withDate,
} from '../core/fixture.ts'
import { withCall } from '../doubles/with-call.ts'

/** A service that has an adapter. */
export type AdapterName = Exclude<FaceName, 'commerce'>

export const adapterNames: readonly AdapterName[] = ['dodo', 'keygen', 'lemon-squeezy', 'polar']
/** Those that list no devices to an app. */
export const unlistedNames: readonly AdapterName[] = ['dodo', 'lemon-squeezy', 'polar']

type Face = Pick<Emulator, 'baseUrl' | 'settings'>

/** The adapter as an app makes it, against its face. */
export const adapterOf: Readonly<Record<AdapterName, (emulator: Face) => LicenseService>> = {
  dodo: ({ baseUrl, settings }) => dodo({ baseUrl, productId: settings['productId'] ?? '' }),
  keygen: ({ baseUrl, settings }) =>
    keygen({
      baseUrl,
      account: settings['account'],
      product: settings['product'] ?? '',
      publicKey: settings['publicKey'],
    }),
  'lemon-squeezy': ({ baseUrl, settings }) =>
    lemonSqueezy({ baseUrl, storeId: settings['storeId'] ?? '', productId: settings['productId'] ?? '' }),
  polar: ({ baseUrl, settings }) =>
    polar({
      baseUrl,
      organizationId: settings['organizationId'] ?? '',
      benefitId: settings['benefitId'],
    }),
}

/** A service's face, and devices whose apps use its adapter. */
export interface FaceScene {
  readonly emulator: Emulator
  /** What the user pastes. */
  readonly licenseKey: string
  /** The license's ID for `emulator.control`. */
  readonly licenseId: string
  device(options?: TestDeviceOptions): TestDevice
  /** Answers in place of the service from now on; `null` lets the service answer. */
  answer: ((request: Request) => Response | null | Promise<Response | null>) | null
  /** A license key that the service knows under another text, as after a customer replaced it. */
  rewrite: { readonly from: string; readonly to: string } | null
  /** Names of the devices that hold a seat. */
  seats(): readonly string[]
  /** How many requests arrived so far. */
  asked(): number
}

/** @param isSigned whether the app has the service's public key, where there is one. */
export async function startFace(
  face: AdapterName,
  { isSigned = true }: { readonly isSigned?: boolean } = {},
): Promise<FaceScene> {
  const emulator = await startEmulator({ accessToken: 'demo', face, requestLogLimit: 10_000 })
  onTestFinished(() => emulator.close())
  const { publicKey, ...settings } = emulator.settings
  const known = isSigned && publicKey !== undefined ? { ...settings, publicKey } : settings
  const service = adapterOf[face]({ baseUrl: emulator.baseUrl, settings: known })
  const { control, licenseKey, demoLicense } = emulator
  const scene: FaceScene = {
    emulator,
    answer: null,
    rewrite: null,
    licenseKey,
    licenseId: demoLicense.id,
    device(options = {}) {
      let made: TestDevice | null = null
      const signedAnswers = createSignedAnswers(service, 14 * dayMs)
      const reached = withCall(service, () => ({
        fetch: async (request, init) => {
          const elapsedMs = made?.elapsedMs() ?? 0
          const answer = await scene.answer?.(request)
          if (answer != null) return withDate(answer, elapsedMs)
          return signedAnew(request, withDate(await send(request, init, scene.rewrite), elapsedMs))
        },
      }))
      const leases = signedAnswers && { leases: signedAnswers }
      made = createTestDevice(null, { service: reached, ...leases, ...options })
      return made
    },
    seats: () => control.keys(demoLicense.id).map(({ name }) => name),
    asked: () => control.requests().length,
  }
  return scene
}

/** A service, and a launched device of one of its customers. */
export async function startDevice(
  face: AdapterName,
  options: TestDeviceOptions & { readonly isSigned?: boolean } = {},
): Promise<{ scene: FaceScene; device: TestDevice; control: EmulatorControl }> {
  const scene = await startFace(face, options)
  const device = scene.device(options)
  await device.launch()
  return { scene, device, control: scene.emulator.control }
}

/** The same, after the customer activated the license. */
export async function activateDevice(
  ...given: Parameters<typeof startDevice>
): ReturnType<typeof startDevice> {
  const started = await startDevice(...given)
  expect(await started.device.core.activate(started.scene.licenseKey)).toMatchObject({ ok: true })
  return started
}

/** The fault that loses the answer to the next activation. */
export const lostActivation: FaultRule = {
  fault: 'reset',
  operation: 'activate',
  when: 'after-acting',
  times: 1,
}

/** Stands for a network that doesn't know the service's name: certainly, nothing was sent. */
export const unknownHost = (): never => {
  throw new Error('net::ERR_NAME_NOT_RESOLVED')
}

/** Stands for a network that is gone, maybe after a request was sent. */
export const noNetwork = (): never => {
  throw new Error('net::ERR_INTERNET_DISCONNECTED')
}

/** What the user pastes for another license. */
export function keyOfLicense({ emulator }: FaceScene, licenseId: string): string {
  return formats[emulator.face].licenseKeyOf(licenseId)
}

/** Keygen signs the date of an answer, so an answer with a later date needs another signature. */
async function signedAnew({ method, url }: Request, answer: Response): Promise<Response> {
  const { status, headers } = answer
  const date = headers.get('date')
  if (date === null || !headers.has('keygen-signature')) return answer
  const { pathname, search, hostname: host } = new URL(url)
  const body = await answer.text()
  const signed = signatureHeaders({ method, target: pathname + search, host, date, body })
  for (const [name, value] of Object.entries(signed)) headers.set(name, value)
  return new Response(status === 204 ? null : body, { status, headers })
}

async function send(
  request: Request,
  init: RequestInit | undefined,
  rewrite: FaceScene['rewrite'],
): Promise<Response> {
  if (rewrite === null || request.method === 'GET') return fetch(request, init)
  const { from, to } = rewrite
  // The service doesn't know the replaced license key anymore.
  const parts = (await request.text()).split(to)
  const body = parts.map((part) => part.replaceAll(from, to)).join(from)
  const { url, method, headers } = request
  const answer = await fetch(url, { ...init, method, headers, body })
  const { status } = answer
  const text = (await answer.text()).replaceAll(to, from)
  return new Response(status === 204 ? null : text, { status, headers: answer.headers })
}
