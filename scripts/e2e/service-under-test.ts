import { type Emulator, type FaceName, faceNames, startEmulator } from '@latchkey/emulator'
import { isServiceName, type ServiceName } from '@latchkey/services/environment'
import * as z from 'zod/mini'
import {
  gatewayEnvironment,
  generateLeaseKeys,
  startInstalledGateway,
} from '../packages/start-installed-gateway.ts'

/** The licensing service that end-to-end tests run with. */
export interface ServiceUnderTest {
  /** Such as `polar`, or `polar behind the gateway`. */
  readonly name: string
  readonly face: FaceName
  readonly isBehindGateway: boolean
  /** The problem's code while nothing answers: a gateway still answers then. */
  readonly unreachableCode: 'offline' | 'service-error'
  /** Whether an app gets what a test needs. */
  has(need: ServiceNeed): boolean
}

const face: FaceName = z.enum(faceNames).parse(process.env['LATCHKEY_FACE'] ?? 'commerce')
const isBehindGateway: boolean = process.env['LATCHKEY_BEHIND_GATEWAY'] === '1'

/**
 * The service of this run, from the environment: `LATCHKEY_FACE=polar` is the service, `commerce` by default;
 * `LATCHKEY_BEHIND_GATEWAY=1` puts the installed gateway between app and service.
 */
export const serviceUnderTest: ServiceUnderTest = {
  name: isBehindGateway ? `${face} behind the gateway` : face,
  face,
  isBehindGateway,
  unreachableCode: isBehindGateway ? 'service-error' : 'offline',
  has: (need) => !gaps[need][isBehindGateway ? 'behindGateway' : 'inApp'].includes(face),
}

/** What an app needs to use the service: an adapter and the values of its options, or an address. */
export type ServiceAccess =
  | {
      readonly kind: 'adapter'
      readonly name: ServiceName
      readonly values: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'address'
      readonly service: {
        readonly baseUrl: string
        readonly accessToken?: string
        readonly licenseKeys?: 'any'
      }
      /** As JSON. */
      readonly leaseKeys: string | null
    }

/** A running service. */
export interface RunningService {
  readonly emulator: Emulator
  readonly access: ServiceAccess
  /**
   * What the app asked since the start or the last {@link RunningService.forget}, oldest first. Wait for it: a gateway
   * logs a request when it has answered it.
   */
  operations(): readonly (string | null)[]
  forget(): void
  close(): Promise<void>
}

const requestLineSchema = z.object({ event: z.literal('request'), route: z.nullable(z.string()) })

/** Key pairs take a while to generate, so a worker process generates one. */
let leaseKeyPair: ReturnType<typeof generateLeaseKeys> | null = null

/**
 * Starts a service with the demo license of three seats, and the gateway in front of it if the run has one.
 *
 * @param accessToken the vendor's secret.
 */
export async function startServiceUnderTest(
  accessToken: string,
  { face, isBehindGateway }: Pick<ServiceUnderTest, 'face' | 'isBehindGateway'> = serviceUnderTest,
): Promise<RunningService> {
  const emulator = await startEmulator({ face, accessToken })
  const gateway = isBehindGateway ? await startGatewayInFront(emulator) : null
  return {
    emulator,
    access: gateway?.access ?? directAccess(emulator),
    operations: gateway?.operations ?? (() => emulator.control.requests().map(({ operation }) => operation)),
    forget() {
      gateway?.forget()
      emulator.control.clearRequests()
    },
    async close() {
      await gateway?.stop()
      await emulator.close()
    },
  }
}

/** Returns what an app needs to use a service without a gateway. */
export function directAccess({ face, baseUrl, settings, accessToken }: Emulator): ServiceAccess {
  if (isServiceName(face)) return { kind: 'adapter', name: face, values: { ...settings, baseUrl } }
  return {
    kind: 'address',
    service: { baseUrl, ...(accessToken === null ? {} : { accessToken }) },
    leaseKeys: null,
  }
}

/** Returns the environment that gives the example app a service. */
export function environmentFor(access: ServiceAccess): Readonly<Record<string, string | undefined>> {
  if (access.kind === 'adapter') {
    const { baseUrl, ...settings } = access.values
    return {
      LATCHKEY_SERVICE: access.name,
      LATCHKEY_SERVICE_URL: baseUrl,
      LATCHKEY_SERVICE_SETTINGS: JSON.stringify(settings),
      LATCHKEY_SERVICE_TOKEN: undefined,
      LATCHKEY_LICENSE_KEYS: undefined,
      LATCHKEY_LEASE_KEYS: undefined,
    }
  }
  const { baseUrl, accessToken, licenseKeys } = access.service
  return {
    LATCHKEY_SERVICE: undefined,
    LATCHKEY_SERVICE_URL: baseUrl,
    LATCHKEY_SERVICE_TOKEN: accessToken,
    LATCHKEY_LICENSE_KEYS: licenseKeys,
    LATCHKEY_LEASE_KEYS: access.leaseKeys ?? undefined,
  }
}

/** A running gateway, and what an app needs to use it. */
interface GatewayInFront extends Pick<RunningService, 'operations' | 'forget'> {
  readonly access: Extract<ServiceAccess, { kind: 'address' }>
  stop(): Promise<void>
}

/** Starts the installed gateway in front of an emulated service, with the vendor's secret. @param env more settings */
export async function startGatewayInFront(
  emulator: Emulator,
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayInFront> {
  leaseKeyPair ??= generateLeaseKeys()
  const { signingKey, leaseKeys } = await leaseKeyPair
  let routes: (string | null)[] = []
  const settings = { ...gatewayEnvironment(emulator, signingKey), ...env }
  const { baseUrl, stop } = await startInstalledGateway(settings, (line) => {
    const request = requestLineSchema.safeParse(JSON.parse(line))
    if (request.success) routes.push(request.data.route)
  })
  const licenseKeys = isServiceName(emulator.face) ? { licenseKeys: 'any' as const } : {}
  return {
    access: { kind: 'address', service: { baseUrl, ...licenseKeys }, leaseKeys },
    operations: () => routes,
    forget() {
      routes = []
    },
    stop,
  }
}

/** What a test can need from the service. */
export type ServiceNeed =
  | 'the list of devices'
  | 'the number of seats in use'
  | 'the end of the license'
  | 'the end of an ended license'
  | 'the reason of a refusal'
  | 'license keys unlike a password'
  | 'an entitlement without a lease'
  | 'an address as `service`'
  | 'the service’s own address as `service`'

/** The services that don't provide something. */
interface Gap {
  /** With the adapter in the app. */
  readonly inApp: readonly FaceName[]
  /** With the gateway in front. */
  readonly behindGateway: readonly FaceName[]
}

const others: readonly FaceName[] = faceNames.filter((name) => name !== 'commerce')

/** Where an app doesn't have what a test needs. */
const gaps: Readonly<Record<ServiceNeed, Gap>> = {
  'the list of devices': { inApp: ['dodo', 'lemon-squeezy', 'polar'], behindGateway: [] },
  'the number of seats in use': { inApp: ['dodo', 'polar'], behindGateway: ['polar'] },
  'the end of the license': { inApp: ['dodo'], behindGateway: [] },
  'the end of an ended license': { inApp: ['dodo', 'polar'], behindGateway: ['polar'] },
  'the reason of a refusal': { inApp: ['dodo'], behindGateway: [] },
  'license keys unlike a password': { inApp: ['dodo'], behindGateway: ['dodo'] },
  'an entitlement without a lease': { inApp: [], behindGateway: faceNames },
  'an address as `service`': { inApp: others, behindGateway: [] },
  'the service’s own address as `service`': { inApp: others, behindGateway: faceNames },
}
