import type { ServiceOptions } from '@latchkey/electron/main'

/**
 * Where Inkwell finds the license service. An app of yours would simply name its gateway's address; the example
 * talks to whatever it is told, and to the emulator by default: `latchkey-emulator --port 4010 --token demo`.
 */
export function serviceFromEnvironment(): ServiceOptions {
  const timeout = process.env['LATCHKEY_SERVICE_TIMEOUT_MS']
  return {
    baseUrl: process.env['LATCHKEY_SERVICE_URL'] ?? 'http://127.0.0.1:4010/v1',
    accessToken: process.env['LATCHKEY_SERVICE_TOKEN'] ?? 'demo',
    timeout: timeout === undefined ? undefined : Number(timeout),
  }
}
