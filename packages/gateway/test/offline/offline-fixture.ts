import { generateKeyPairSync, sign } from 'node:crypto'
import type { Emulator, EmulatorOptions } from '@latchkey/emulator'
import type { ServiceName } from '@latchkey/services/environment'
import {
  findOfflineText,
  type OfflineClaims,
  type OfflineRequest,
  offlineClaimsSchema,
  releaseStatement,
  writeOfflineRequest,
  writeReleaseCode,
} from '@latchkey/services/offline'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { generateSigningKey, leaseKeysOf, type SigningKey } from '../../src/index.ts'
import { accessToken, startService } from '../gateway-fixture.ts'
import { adapterOf, type FaceGateway, fingerprint, gatewayOf, startFace } from '../services/face-fixture.ts'

export const signingKey: SigningKey = await generateSigningKey()

/** A device that asks without internet. */
export const asking: Omit<OfflineRequest, 'licenseKey'> = {
  app: 'com.example.notes',
  deviceName: 'Ada’s laptop',
  fingerprint,
  nonce: 'n0nce-n0nce-n0nce-n0nce',
  trustedKeys: [],
  releaseKey: 'k'.repeat(43),
}

/** A gateway with offline activation, in front of one service. */
export interface OfflineGateway extends Omit<FaceGateway, 'send'> {
  readonly emulator: Emulator
  readonly licenseKey: string
  readonly licenseId: string
  /** Sends a device's request, which differs from `asking` as stated. */
  send(request?: Partial<OfflineRequest>): ReturnType<FaceGateway['ask']>
  /** Does a step of the page with the device's request. */
  step(body: object): ReturnType<FaceGateway['ask']>
}

export async function startOffline(
  face: ServiceName | 'commerce',
  options: Parameters<typeof gatewayOf>[1] & EmulatorOptions = {},
): Promise<OfflineGateway> {
  const { seed: _, ...gatewayOptions } = options
  const emulator = face === 'commerce' ? await startService() : await startFace(face)
  const licenseKey = face === 'commerce' ? emulator.demoLicense.id : emulator.licenseKey
  return instanceBeside(face, emulator, licenseKey, gatewayOptions)
}

/** Another instance of the gateway in front of the same service. */
export function instanceBeside(
  face: ServiceName | 'commerce',
  emulator: Emulator,
  licenseKey: string,
  options: Parameters<typeof gatewayOf>[1] = {},
): OfflineGateway {
  const upstream =
    face === 'commerce'
      ? { baseUrl: emulator.baseUrl, accessToken, ...(options.fetch && { fetch: options.fetch }) }
      : adapterOf(face, emulator)
  const gateway = gatewayOf(upstream, {
    signing: { keys: [signingKey] },
    offline: { days: 365 },
    ...options,
  })
  return {
    ...gateway,
    emulator,
    licenseKey,
    licenseId: emulator.demoLicense.id,
    step: (body) =>
      gateway.ask('POST', '/offline', { request: writeOfflineRequest({ ...asking, licenseKey }), ...body }),
    send: (request = {}) =>
      gateway.ask('POST', '/offline', {
        request: writeOfflineRequest({ ...asking, licenseKey, ...request }),
      }),
  }
}

/** The claims of an answer, once its signature and type are checked. */
export async function claimsOf(
  answer: string,
  keys: readonly SigningKey[] = [signingKey],
): Promise<OfflineClaims> {
  const found = findOfflineText('answer', answer)
  if (!found.ok) throw new Error(found.fault)
  const { payload } = await jwtVerify(
    found.payload,
    createLocalJWKSet({ keys: [...(await leaseKeysOf(keys)).keys] }),
    { typ: 'latchkey-offline+jwt', algorithms: ['EdDSA'] },
  )
  return offlineClaimsSchema.parse(payload)
}

/** A device's secret: what its request contains of it, and the release codes that it makes with it. */
export interface ReleasingDevice {
  readonly releaseKey: string
  /** Returns the release code of the activation that an answer is about. */
  codeFor(answer: string, keys?: readonly SigningKey[]): Promise<string>
}

export function newReleasingDevice(): ReleasingDevice {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    releaseKey: String(publicKey.export({ format: 'jwk' }).x),
    async codeFor(answer, keys) {
      const statement = releaseStatement((await claimsOf(answer, keys)).rel ?? '', Date.now())
      return writeReleaseCode(statement, sign(null, Buffer.from(statement), privateKey).toString('base64url'))
    },
  }
}
