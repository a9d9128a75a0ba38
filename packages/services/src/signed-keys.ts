import { checkOptions } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { decodeBytes } from './base64url.ts'
import { isSignedBy } from './ed25519.ts'
import { findLicenseKey } from './license-key.ts'
import {
  type ActivatedLicense,
  answer,
  type DeviceRequest,
  type LicenseFacts,
  type LicenseService,
  nothingTold,
  type Outcome,
  type Refusal,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from './license-service.ts'
import { createSend, read } from './request.ts'
import { serviceUrl } from './service-options.ts'
import {
  type DecodedKey,
  decodeKey,
  hexOf,
  type PublicKey,
  productHintOf,
  publicKeyPrefix,
  readPublicKey,
  signedBytes,
  signedListText,
} from './signed-key.ts'

/** Options for {@link signedKeys}. */
export interface SignedKeysOptions {
  /**
   * The public keys that `latchkey keys generate` printed. To replace a signing key, add its successor's public key
   * before you issue keys with it.
   */
  publicKeys: readonly string[]
  /** The product, as in the option `product` of `issueLicenseKey`. Keys of other products are refused. */
  product: string
  /** A list of revoked keys, loaded with each check. @default a key can't be revoked */
  revoked?: RevokedKeysOptions | undefined
}

/** Where the list of revoked keys is. */
export interface RevokedKeysOptions {
  /** URL of the file that `latchkey revoke` or `signRevokedKeys` wrote. https:, or http: to this machine. */
  url: string
  /** The public keys that verify it. */
  publicKeys: readonly string[]
}

const publicKeyRule = `must be a public key that latchkey keys generate printed, which begins with ${publicKeyPrefix}`
const privateKeyRule =
  'must not be a private key, which every user of your app could read: use the public key that belongs to it. If an app with it was published, generate a new one'
const isPrivate = (given: unknown): boolean => /secret|private|"d"/iu.test(JSON.stringify(given) ?? '')

const publicKeysOption = z.pipe(
  z.unknown().check(z.refine((given) => !isPrivate(given), privateKeyRule)),
  z
    .array(
      z.pipe(
        z.string(publicKeyRule).check(z.refine((text) => readPublicKey(text) !== null, publicKeyRule)),
        z.transform((text): readonly PublicKey[] => [readPublicKey(text)].filter((key) => key !== null)),
      ),
      'must be a list of public keys',
    )
    .check(z.minLength(1)),
)

const optionsSchema = z.strictObject({
  publicKeys: publicKeysOption,
  product: z.string().check(z.minLength(1), z.maxLength(100), z.regex(/^\P{Cc}*$/u, 'must be one line')),
  revoked: z.optional(z.strictObject({ url: serviceUrl, publicKeys: publicKeysOption })),
})

const timestamp = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u))
/** An ID with a line feed would join several into one text, with the same signature. */
const keyIdentifier = z.string().check(z.regex(/^[\da-f]{16}$/u))
const listSchema = z.object({ issuedAt: timestamp, ids: z.array(keyIdentifier), signature: z.string() })

/** The IDs of revoked keys, and when the vendor signed their list. */
interface RevokedList {
  readonly ids: readonly string[]
  readonly issuedAtMs: number
}

/**
 * Creates the adapter for license keys that you sign yourself, without a licensing service. It verifies them on the
 * device, and needs no network. So it can't count devices: a key that someone shares works everywhere.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = signedKeys({
 *   publicKeys: ['latchkey-public-11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'],
 *   product: 'inkwell',
 * })
 * ```
 */
export function signedKeys(options: SignedKeysOptions): LicenseService {
  const { product, revoked, ...settings } = checkOptions('signedKeys', optionsSchema, options, {
    hints: { signingKey: ': it is secret and must not be in an app. Use publicKeys' },
  })
  const publicKeys = settings.publicKeys.flat()
  const send = createSend()

  /** Returns the license if the key is genuine. */
  async function verify(
    { licenseKey, fingerprint }: DeviceRequest,
    call: ServiceCall | undefined,
  ): Promise<ActivatedLicense | Refusal | Unavailable> {
    const crypto = call?.crypto ?? globalThis.crypto
    const key = decodeKey(licenseKey)
    if (key === null) return refusal('unknown-license', null)
    const signed = signedBytes(key.payload, product)
    for (const { id, bytes } of publicKeys) {
      if (id !== key.keyId || !(await isSignedBy(bytes, key.signature, signed, crypto))) continue
      // Each key has an activation of its own, so that a renewed one replaces its predecessor. Services that the app may move
      // to can be asked about a UUID.
      const activationId = hexOf(key.signature.slice(0, 16)).replace(
        /^(.{8})(.{4})(.{4})(.{4})/u,
        '$1-$2-$3-$4-',
      )
      const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
      return { license: factsOf(key, product), activation }
    }
    const isOfProduct = (await productHintOf(product, crypto)) === key.productHint
    return refusal(isOfProduct ? 'unknown-license' : 'wrong-product', null)
  }

  /** Returns the list if the vendor signed it; otherwise `null`. */
  async function verifyList(
    { issuedAt, ids, signature: encoded }: z.infer<typeof listSchema>,
    call: ServiceCall | undefined,
  ): Promise<RevokedList | null> {
    const signature = decodeBytes(encoded)
    if (signature === null) return null
    const text = signedListText(product, issuedAt, ids)
    const crypto = call?.crypto ?? globalThis.crypto
    for (const { bytes } of revoked?.publicKeys.flat() ?? []) {
      if (await isSignedBy(bytes, signature, text, crypto)) return { ids, issuedAtMs: Date.parse(issuedAt) }
    }
    return null
  }

  /** Returns the newest list that was fetched before. */
  async function readLastList(call: ServiceCall | undefined): Promise<RevokedList | null> {
    try {
      const text = await call?.lastList?.read()
      return text == null ? null : await verifyList(listSchema.parse(JSON.parse(text)), call)
    } catch {
      return null
    }
  }

  /** Fetches the list of revoked keys. */
  async function fetchList(url: string, call: ServiceCall | undefined) {
    const fetched = read(await send({ method: 'GET', url }, call), listSchema)
    if (fetched.kind !== 'read') return fetched
    const list = await verifyList(fetched.body, call)
    if (list === null) return unavailable('unsigned-answer', { httpStatus: fetched.reply.status })
    const last = await readLastList(call)
    // A cache may still have an earlier one.
    if (last !== null && last.issuedAtMs > list.issuedAtMs) return last
    await call?.lastList?.write(JSON.stringify(fetched.body))
    return list
  }

  /** @param needsList whether an answer takes the current list of revoked keys. */
  async function check(
    request: DeviceRequest,
    needsList: boolean,
    call: ServiceCall | undefined,
  ): Promise<Outcome<ActivatedLicense>> {
    const verified = await verify(request, call)
    if ('kind' in verified) return verified
    if (revoked === undefined) return answer(verified, null)
    const fetched = await fetchList(revoked.url, call)
    if ('kind' in fetched && needsList) return fetched
    const list = 'kind' in fetched ? await readLastList(call) : fetched
    if (list === null) return answer(verified, null)
    const license = { ...verified.license, updatedAtMs: list.issuedAtMs }
    // The file's host doesn't tell the time: a wrong date of it would end licenses.
    if (!list.ids.includes(license.id ?? '')) return answer({ ...verified, license }, null)
    return refusal(
      'suspended',
      { status: 200, serverDateMs: null },
      { ...license, status: 'suspended', suspendedAtMs: list.issuedAtMs },
    )
  }

  return {
    name: 'signedKeys',
    baseUrl: revoked?.url ?? '',
    capabilities: {
      listsActivations: false,
      idempotentByFingerprint: true,
      tellsTheEnd: true,
      signsItsAnswers: false,
      answersOffline: true,
    },
    links: { customerPortal: null },
    vendorSecrets: [],
    findLicenseKey: (text) => findLicenseKey(text, 'signed'),
    activate: (request, call) => check(request, false, call),
    // Without the list, a key that was revoked before would look valid again, so nothing changes then.
    validate: (request, call) => check(request, true, call),
    deactivate: async () => answer(null, null),
    async showLicense({ licenseKey }, call) {
      const seen = await check({ licenseKey, fingerprint: '' }, false, call)
      return seen.kind === 'answer' ? { ...seen, value: seen.value.license } : seen
    },
  }
}

function factsOf({ id, name, email, plan, features, lastDay }: DecodedKey, product: string): LicenseFacts {
  const end = lastDay === null ? null : Date.parse(lastDay) + 86_400_000
  const licensee = name !== undefined && email !== undefined ? `${name} (${email})` : (name ?? email ?? null)
  return {
    ...nothingTold,
    id,
    status: 'active',
    ...(lastDay === null ? { endsAtMs: 'never' } : { endsAtMs: end, endsAt: lastDay }),
    product,
    plan: plan ?? null,
    licensee,
    features,
  }
}
