import { onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/index.ts'

/** An answer and its body. */
export interface Told {
  status: number
  headers: Headers
  body: unknown
  text: string
}

/** An emulated service, and requests to it. */
export interface FaceUnderTest {
  emulator: Emulator
  /** The license's ID for `emulator.control`. */
  licenseId: string
  /** Sends JSON; without a body, a GET. */
  ask(
    path: string,
    body?: unknown,
    options?: { method?: string; headers?: Record<string, string> },
  ): Promise<Told>
}

/** Starts an emulated service. It is closed after the test. */
export async function startFace(options: EmulatorOptions): Promise<FaceUnderTest> {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  return {
    emulator,
    licenseId: emulator.demoLicense.id,
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
