import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import type { LicenseService } from '@latchkey/services'
import { readService, type ServiceName, serviceSettings } from '@latchkey/services/environment'
import { pathIdOf } from '../../src/http/routes.ts'
import { createGateway, type GatewayLogLine, type GatewayOptions } from '../../src/index.ts'
import { accessToken } from '../gateway-fixture.ts'

/** The fingerprint of this device and of another one. */
export const fingerprint = '0123456789abcdef'
export const otherFingerprint = 'fedcba9876543210'

/** Starts a service in its own wire format, with a token that is unmistakable if it leaks. */
export async function startFace(face: ServiceName, options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ accessToken, customers: 0, discounts: 0, ...options, face })
  onTestEnd(() => emulator.close())
  return emulator
}

/** The environment of a gateway in front of a face. */
export function environmentOf(face: ServiceName, { baseUrl, settings }: Emulator): Record<string, string> {
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  return Object.fromEntries(
    serviceSettings[face].variables.flatMap(({ name, option, isSecret, isRequired }) => {
      const value = isSecret && isRequired ? accessToken : values[option]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Returns a face's adapter with the gateway's options. */
export function adapterOf(face: ServiceName, emulator: Emulator): LicenseService {
  const problems: string[] = []
  const service = readService(face, environmentOf(face, emulator), problems)
  if (service === null) throw new Error(problems.join(' '))
  return service
}

/** A response of the gateway. */
export interface Told {
  readonly status: number
  readonly type: string | null
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response.
  readonly body: any
  readonly lease: string | null
  readonly retryAfter: string | null
}

/** A gateway in front of services, and the routes of one license. */
export interface FaceGateway {
  readonly lines: GatewayLogLine[]
  /** Sends a request below the base path. */
  send(path: string, init?: RequestInit): Promise<Response>
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Told>
  /** Posts a page's form, as a browser does. */
  form(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Told>
  /** Returns the routes of a license key, encoded as apps encode it. */
  of(licenseKey: string): LicenseRoutes
}

/** The five routes. */
export interface LicenseRoutes {
  keys(): Promise<Told>
  key(keyId: string, headers?: Record<string, string>): Promise<Told>
  activate(name: string, headers?: Record<string, string>): Promise<Told>
  validate(key: string, fingerprint?: string, headers?: Record<string, string>): Promise<Told>
  deactivate(key: string, fingerprint?: string): Promise<Told>
}

export function gatewayOf(
  upstream: GatewayOptions['upstream'],
  options: Omit<Partial<GatewayOptions>, 'upstream'> = {},
): FaceGateway {
  const lines: GatewayLogLine[] = []
  const gateway = createGateway({
    upstream,
    log: (line) => lines.push(line),
    ...options,
    // Tests change licenses behind the gateway, which would answer from memory.
    limits: { perUpstream: false, ...options.limits },
  })
  const send: FaceGateway['send'] = (path, init) =>
    gateway(new Request(`https://licenses.vendor.example/v1${path}`, init))
  return { lines, ...routesOver(send) }
}

/** Returns the routes of a gateway that runs in its own process. */
export function routesAt(baseUrl: string): Omit<FaceGateway, 'lines'> {
  return routesOver((path, init) => fetch(`${baseUrl}${path}`, init))
}

function routesOver(send: FaceGateway['send']): Omit<FaceGateway, 'lines'> {
  const told = async (answer: Response): Promise<Told> => {
    const text = await answer.text()
    const isJson = answer.headers.get('content-type') === 'application/json'
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      body: isJson ? JSON.parse(text) : text,
      lease: answer.headers.get('latchkey-lease'),
      retryAfter: answer.headers.get('retry-after'),
    }
  }
  const ask: FaceGateway['ask'] = async (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await send(path, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return told(answer)
  }
  return {
    send,
    ask,
    form: async (path, fields, headers = { 'sec-fetch-site': 'same-origin' }) =>
      told(await send(path, { method: 'POST', headers, body: new URLSearchParams(fields) })),
    of(licenseKey) {
      const path = `/licenses/${pathIdOf(licenseKey)}`
      return {
        keys: () => ask('GET', `${path}/keys`),
        key: (keyId, headers) => ask('GET', `${path}/keys/${pathIdOf(keyId)}`, undefined, headers),
        activate: (name, headers) => ask('POST', `${path}/activate`, { name }, headers),
        validate: (key, device = fingerprint, headers = {}) =>
          ask('POST', `${path}/validate`, { key, fingerprint: device }, headers),
        deactivate: (key, device = fingerprint) =>
          ask('DELETE', `${path}/deactivate`, { key, fingerprint: device }),
      }
    },
  }
}
