import { type CommerceClient, createCommerceClient, type Fetch, type Licenses } from '@latchkey/commerce'
import type { Answer, EndableCommercePort } from '../../../core/ports/commerce-port.ts'
import type { LeaseVerifier } from './lease-verifier.ts'
import { createLeasedCommerce, listWithinMs } from './leased-commerce.ts'

/** How to reach the service. */
export interface NetFetchCommerceOptions {
  /** Over Electron's network: it knows the system's proxies and certificates. */
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly accessToken?: string | undefined
  /** Milliseconds one request may take. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds the pages of a list of devices may take together. @default 20_000 */
  readonly listWithinMs?: number | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Believes signed answers alone. */
  readonly leases?: LeaseVerifier | undefined
  /** Told of an answer that is not trusted: the id of the key it says it is signed with, `null` for none. */
  readonly onUntrusted?: ((signedBy: string | null) => void) | undefined
  /** Sends the access token over plain http to another machine. */
  readonly allowInsecure?: boolean | undefined
  /** Told the time of the server, in milliseconds since the epoch, with every answer that carries it. */
  readonly onServerDate?: ((serverDateMs: number) => void) | undefined
}

/**
 * The license routes over Electron's network stack.
 *
 * @throws CommerceError `invalid-argument` when an option is not usable; the message names it and shows no secret.
 */
export function createNetFetchCommerce(options: NetFetchCommerceOptions): EndableCommercePort {
  const { baseUrl, accessToken, timeoutMs, headers, leases } = options
  const client: CommerceClient = createCommerceClient({
    baseUrl,
    accessToken,
    allowInsecure: options.allowInsecure,
    timeout: timeoutMs,
    // The cookies of the app's windows are nobody's business here.
    fetch: (request, init) =>
      options.fetch(request, { ...init, credentials: 'omit', cache: 'no-store', redirect: 'manual' }),
  })

  const ending = new AbortController()
  const licenses = endingWith(ending.signal, client.licenses)
  const end = (): void => ending.abort()
  if (leases !== undefined) {
    const { onUntrusted } = options
    return { ...createLeasedCommerce(licenses, leases, { headers, onUntrusted }), end }
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

  return {
    async keys(licenseId) {
      const { value, ...rest } = await answered((call) =>
        licenses.keyList(licenseId, { ...call, withinMs: options.listWithinMs ?? listWithinMs }),
      )
      return { ...rest, value: value.keys, isWhole: value.isWhole }
    },
    key: (licenseId, keyId) => answered((call) => licenses.key(licenseId, keyId, call)),
    activate: (licenseId, name) => answered((call) => licenses.activate(licenseId, { name }, call)),
    validate: (licenseId, keyId) => answered((call) => licenses.validate(licenseId, { key: keyId }, call)),
    deactivate: (licenseId, keyId) =>
      answered((call) => licenses.deactivate(licenseId, { key: keyId }, call)),
    end,
  }
}

/** The same calls, given up when the signal says so. */
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
