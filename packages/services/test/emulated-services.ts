import { type Emulator, type EmulatorOptions, type FaceName, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { commerce } from '../src/commerce.ts'
import { dodo } from '../src/dodo.ts'
import type {
  ActivatedLicense,
  ActivationList,
  ActivationRequest,
  LicenseService,
  RefusalReason,
} from '../src/index.ts'
import { keygen } from '../src/keygen.ts'
import { lemonSqueezy } from '../src/lemon-squeezy.ts'
import { polar } from '../src/polar.ts'

/** An emulated service and its adapters. */
export interface EmulatedService {
  readonly emulator: Emulator
  /** The adapter as an app creates it. */
  readonly service: LicenseService
  /** The adapter as a gateway or a support tool creates it: with the vendor's secret. */
  readonly vendor: LicenseService
  readonly licenseKey: string
  /** The license's ID for `emulator.control`. */
  readonly licenseId: string
}

/** The device that tests activate. */
export const device = { deviceName: 'Ada’s laptop', fingerprint: '0123456789abcdef' } as const
/** Another device. */
export const otherDevice = { deviceName: 'Bob’s desktop', fingerprint: 'fedcba9876543210' } as const

const make: Readonly<Record<FaceName, (emulator: Emulator, secret: string | undefined) => LicenseService>> = {
  // The commerce service requires its token. An app would go through a gateway.
  commerce: ({ baseUrl }, accessToken) => commerce({ baseUrl, accessToken }),
  dodo: ({ baseUrl, settings }, apiKey) => dodo({ baseUrl, productId: settings['productId'] ?? '', apiKey }),
  keygen: ({ baseUrl, settings }, token) =>
    keygen({
      baseUrl,
      account: settings['account'],
      product: settings['product'] ?? '',
      publicKey: settings['publicKey'],
      token,
    }),
  'lemon-squeezy': ({ baseUrl, settings }, apiKey) =>
    lemonSqueezy({
      baseUrl,
      storeId: settings['storeId'] ?? '',
      productId: settings['productId'] ?? '',
      apiKey,
    }),
  polar: ({ baseUrl, settings }, accessToken) =>
    polar({
      baseUrl,
      organizationId: settings['organizationId'] ?? '',
      benefitId: settings['benefitId'],
      accessToken,
    }),
}

export const serviceNames: readonly FaceName[] = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar']

type Situation = 'unknown' | 'expired' | 'suspended' | 'full' | 'gone'
const documented = {
  unknown: 'unknown-license',
  expired: 'expired',
  suspended: 'suspended',
  full: 'no-seat-left',
  gone: 'unknown-activation',
} as const

/** The reason each service documents for a refusal. `null`: it documents none, so no refusal is definite. */
export const refusals: Readonly<Record<FaceName, Readonly<Record<Situation, RefusalReason | null>>>> = {
  // Its errors aren't documented, but the license's fields are.
  commerce: { unknown: null, expired: null, suspended: null, full: null, gone: null },
  dodo: { ...documented, expired: 'inactive', suspended: 'inactive' },
  keygen: documented,
  'lemon-squeezy': documented,
  polar: documented,
}

/** Starts an emulated service and creates its adapters. It is closed after the test. */
export async function startService(face: FaceName, options: EmulatorOptions = {}): Promise<EmulatedService> {
  const emulator = await startEmulator({
    ...options,
    face,
    ...(face !== 'commerce' && { accessToken: 'demo' }),
  })
  onTestEnd(() => emulator.close())
  return {
    emulator,
    service: make[face](emulator, undefined),
    vendor: make[face](emulator, face === 'commerce' ? undefined : 'demo'),
    licenseKey: emulator.licenseKey,
    licenseId: emulator.demoLicense.id,
  }
}

/** A device that an app has activated. */
type ActivatedDevice = ActivatedLicense & { readonly request: ActivationRequest & typeof device }

/** Activates the device through an adapter. */
export async function activateOn(service: LicenseService, licenseKey: string): Promise<ActivatedDevice> {
  const { activation, license } = answerOf(await service.activate({ licenseKey, ...device }))
  return { activation, license, request: { licenseKey, activationId: activation.id, ...device } }
}

/** Starts an emulated service with a device that was activated by the app, or with the vendor's secret. */
export async function startActivated(
  face: FaceName,
  options: EmulatorOptions = {},
  by: 'service' | 'vendor' = 'service',
): Promise<EmulatedService & ActivatedDevice> {
  const emulated = await startService(face, options)
  return { ...emulated, ...(await activateOn(emulated[by], emulated.licenseKey)) }
}

/** Lists the activations of a license. */
export async function listOf(service: LicenseService, licenseKey: string): Promise<ActivationList> {
  return answerOf((await service.listActivations?.({ licenseKey })) ?? { kind: 'none' })
}

/** Returns the answer, or fails with what came instead. */
export function answerOf<Value>(outcome: { kind: string } | { kind: 'answer'; value: Value }): Value {
  if (outcome.kind === 'answer' && 'value' in outcome) return outcome.value
  throw new Error(`No answer: ${JSON.stringify(outcome)}`)
}
