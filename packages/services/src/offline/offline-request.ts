import { parseDocument } from '@latchkey/commerce/http'
import * as z from 'zod/mini'
import { decodeText, encodeBytes, encodeText } from '../base64url.ts'
import type { WebCrypto } from '../license-service.ts'
import { findOfflineText, type OfflineTextFault, writeOfflineText } from './offline-text.ts'

/** What a computer without internet asks for. It contains the license key, so treat it like one. */
export interface OfflineRequest {
  /** The `appId` of the app that asks. */
  readonly app: string
  /** The device's readable name. */
  readonly deviceName: string
  /** 16 hex digits. */
  readonly fingerprint: string
  /** The answer repeats it, so that it answers this request and no other. */
  readonly nonce: string
  readonly licenseKey: string
  /** The beginnings of the ids of the keys whose signatures the app trusts. */
  readonly trustedKeys: readonly string[]
  /**
   * The public part of a secret of this device, as base64url of a raw Ed25519 key. With the secret the device signs a
   * release code when it is deactivated.
   */
  readonly releaseKey: string
  /**
   * Marks of this device's activations whose release codes may still be used: see {@link releaseMarkOf}. They are freed
   * rather than adopted, because a code that is used later would free them. Absent for none.
   */
  readonly leaves?: readonly string[] | undefined
}

/** A request that was found in a text, or why there is none. */
export type OfflineRequestReading =
  | { readonly ok: true; readonly request: OfflineRequest }
  | { readonly ok: false; readonly fault: OfflineTextFault }

/** How many characters of a trusted key's id are sent: enough to tell a vendor's keys apart in a small QR code. */
export const trustedKeyLength = 8

/** Most trusted keys that a request lists. With as many, the app may trust others, too. */
export const mostTrustedKeys = 8

// One line: neither a name nor a key contains control characters.
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u

/**
 * The fields in their order. A list is smaller than an object, which counts in a QR code. A later release may add
 * fields at the end.
 */
const fieldsSchema = z.tuple(
  [
    z.string().check(z.minLength(1), z.maxLength(255), z.regex(oneLine)),
    z.string().check(z.maxLength(255), z.regex(oneLine)),
    z.string().check(z.regex(/^[\da-f]{16}$/u)),
    z.string().check(z.regex(/^[\w-]{22,128}$/u)),
    z.string().check(z.minLength(1), z.maxLength(2048), z.regex(oneLine)),
    z.array(z.string().check(z.regex(/^[\w-]{8,43}$/u))).check(z.maxLength(mostTrustedKeys)),
    z.string().check(z.regex(/^[\w-]{43}$/u)),
  ],
  z.unknown(),
)

/** Most activations that a request leaves. */
const mostLeft = 8

const leavesSchema = z
  .array(z.string().check(z.regex(/^[\w-]{16}$/u)))
  .check(z.minLength(1), z.maxLength(mostLeft))

/** Writes a request in its text form. */
export function writeOfflineRequest(request: OfflineRequest): string {
  const { app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, leaves = [] } = request
  const left = leaves.length === 0 ? [] : [leaves.slice(-mostLeft)]
  const fields = [app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, ...left]
  return writeOfflineText('request', encodeText(JSON.stringify(fields)))
}

/** Reads a request from text that was pasted, read from a file or decoded from a QR code. Never throws. */
export function readOfflineRequest(text: string): OfflineRequestReading {
  const found = findOfflineText('request', text)
  if (!found.ok) return found
  const parsed = fieldsSchema.safeParse(parseDocument(decodeText(found.payload) ?? ''))
  if (!parsed.success) return { ok: false, fault: 'torn' }
  const [app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey, left] = parsed.data
  const request = { app, deviceName, fingerprint, nonce, licenseKey, trustedKeys, releaseKey }
  const { data: leaves } = leavesSchema.safeParse(left)
  return {
    ok: true,
    request: { ...request, ...(leaves !== undefined && { leaves }) },
  }
}

/**
 * Returns the mark of an activation: the beginning of the SHA-256 of its id, which a request can name without telling it.
 *
 * @param crypto computes the hash. Electron before 28 has no global one in the main process.
 */
export async function releaseMarkOf(
  activationId: string,
  crypto: Pick<WebCrypto, 'subtle'> = globalThis.crypto,
): Promise<string> {
  return (await sha256(activationId.toLowerCase(), crypto)).slice(0, 16)
}

/** Returns base64url of the SHA-256 of a text. */
export async function sha256(text: string, { subtle }: Pick<WebCrypto, 'subtle'>): Promise<string> {
  const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBytes(new Uint8Array(digest))
}
