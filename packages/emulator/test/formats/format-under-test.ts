import { afterEach, beforeEach } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/index.ts'

/** An answer and its body. */
export interface Told {
  status: number
  headers: Headers
  body: unknown
  text: string
}

/** An emulated service, and requests to it. */
export interface ServiceUnderTest {
  readonly emulator: Emulator
  /** The license's ID for `emulator.control`. */
  readonly licenseId: string
  /** Sends JSON; without a body, a GET. */
  ask(
    path: string,
    body?: unknown,
    options?: { method?: string; headers?: Record<string, string> },
  ): Promise<Told>
}

/** The header of a request with the vendor's token. */
export const asVendor = { headers: { authorization: 'Bearer demo' } }

/** Starts a service for each test of the file. */
export function useService(options: EmulatorOptions): ServiceUnderTest {
  let emulator: Emulator
  beforeEach(async () => {
    emulator = await startEmulator({ accessToken: 'demo', ...options })
  })
  afterEach(() => emulator.close())
  return {
    get emulator() {
      return emulator
    },
    get licenseId() {
      return emulator.demoLicense.id
    },
    async ask(path, body, { method = body === undefined ? 'GET' : 'POST', headers = {} } = {}) {
      const isForm = body instanceof URLSearchParams
      const response = await fetch(`${emulator.baseUrl}${path}`, {
        method,
        headers: { ...(body !== undefined && !isForm && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const { status } = response
      return { status, headers: response.headers, body: text === '' ? null : JSON.parse(text), text }
    },
  }
}

/** The `id` of an answer's object. */
export function idOf({ body }: Told): string {
  if (typeof body !== 'object' || body === null || !('id' in body)) throw new Error('There is no activation.')
  return String(body.id)
}
