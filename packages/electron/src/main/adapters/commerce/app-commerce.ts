import type { KeyInput, Licenses } from '@latchkey/commerce'
import type { Answer, EndableCommercePort } from '../../../core/ports/commerce-port.ts'
import { createGatewayPort, type GatewayPort } from './gateway-port.ts'
import type { LeaseVerifier } from './lease-verifier.ts'
import { createLeasedCommerce, listWithinMs } from './leased-commerce.ts'

/** How to use the license routes. */
export interface AppCommerceOptions {
  readonly licenses: Licenses
  /** Time limit for all pages of a device list together, in milliseconds. @default 20_000 */
  readonly listWithinMs?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Form of license keys and ids. `any` is for a gateway in front of another service. @default 'uuid' */
  readonly licenseKeys?: 'uuid' | 'any' | undefined
  /** Called with every license key and id of another form before it is sent, so that logs can mask it. */
  readonly onSecret?: ((text: string) => void) | undefined
  /** If set, only signed answers are trusted. */
  readonly leases?: LeaseVerifier | undefined
  /** Called for an untrusted answer with the id of the key it claims to be signed with, or `null` if it names none. */
  readonly onUntrusted?: ((signedBy: string | null) => void) | undefined
  /** Called with the server's time, in milliseconds since the epoch, for every answer that has it. */
  readonly onServerDate?: ((serverDateMs: number) => void) | undefined
}

/** The core's port to the license routes of the commerce service or of a gateway. */
export function createAppCommerce(options: AppCommerceOptions): GatewayPort {
  const { headers, leases, licenseKeys = 'uuid' } = options
  const ending = new AbortController()
  const isAny = licenseKeys === 'any'
  const withDocumentedRefusals = (port: EndableCommercePort): GatewayPort =>
    isAny ? createGatewayPort(port, options.onSecret) : port
  const keyInput = (key: string, fingerprint: string | undefined): KeyInput =>
    isAny ? { key, fingerprint } : { key }
  const licenses = endingWith(ending.signal, options.licenses)
  const end = (): void => ending.abort()
  if (leases !== undefined) {
    const { onUntrusted, onServerDate } = options
    const commerce = createLeasedCommerce(licenses, leases, { headers, keyInput, onUntrusted, onServerDate })
    return withDocumentedRefusals({ ...commerce, end })
  }

  async function answered<Value>(
    call: (options: {
      headers: Record<string, string>
      onAnswer: (answer: { serverDateMs: number | null }) => void
    }) => Promise<Value>,
  ): Promise<Answer<Value>> {
    let serverDateMs: number | null = null
    const onAnswer = (answer: { serverDateMs: number | null }): void => {
      serverDateMs = answer.serverDateMs
      if (serverDateMs !== null) options.onServerDate?.(serverDateMs)
    }
    const value = await call({ headers: { ...headers }, onAnswer })
    return { value, serverDateMs }
  }

  return withDocumentedRefusals({
    async keys(licenseId) {
      const { value, ...rest } = await answered((call) =>
        licenses.keyList(licenseId, { ...call, withinMs: options.listWithinMs ?? listWithinMs }),
      )
      return { ...rest, value: value.keys, isWhole: value.isWhole }
    },
    key: (licenseId, keyId) => answered((call) => licenses.key(licenseId, keyId, call)),
    activate: (licenseId, name) => answered((call) => licenses.activate(licenseId, { name }, call)),
    validate: (licenseId, keyId, fingerprint) =>
      answered((call) => licenses.validate(licenseId, keyInput(keyId, fingerprint), call)),
    deactivate: (licenseId, keyId, fingerprint) =>
      answered((call) => licenses.deactivate(licenseId, keyInput(keyId, fingerprint), call)),
    end,
  })
}

/** Returns the same calls, which also stop when the signal aborts. */
function endingWith(signal: AbortSignal, licenses: Licenses): Licenses {
  return {
    keys: (licenseId, call) => licenses.keys(licenseId, { ...call, signal }),
    keyList: (licenseId, call) => licenses.keyList(licenseId, { ...call, signal }),
    key: (licenseId, keyId, call) => licenses.key(licenseId, keyId, { ...call, signal }),
    activate: (licenseId, input, call) => licenses.activate(licenseId, input, { ...call, signal }),
    validate: (licenseId, input, call) => licenses.validate(licenseId, input, { ...call, signal }),
    deactivate: (licenseId, input, call) => licenses.deactivate(licenseId, input, { ...call, signal }),
  }
}
