import { isAnyId } from '@latchkey/commerce/http'
import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import {
  codesOf,
  createProofReader,
  entitlementsPath,
  errorCodeOf,
  joinProofs,
  readCode,
  readError,
  readMachineError,
  readValidation,
  replayWindowMs,
  type Validation,
  validatePath,
  verifyReply,
} from './keygen-responses.ts'
import { findLicenseKey } from './license-key.ts'
import {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  answer,
  type LicenseService,
  type Outcome,
  type Refusal,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
  type WebCrypto,
} from './license-service.ts'
import { createSend, type Reply, read, type ServiceRequest, undocumented } from './request.ts'
import { onOrOff, type ServiceOptions, serviceOptions, serviceUrl } from './service-options.ts'
import { type ActivationPage, readActivations, text, timestampMs } from './wire.ts'

/** Options for {@link keygen}. */
export interface KeygenOptions extends ServiceOptions {
  /** The account ID (in the dashboard under Settings) or slug. Leave it out for a self-hosted singleplayer server. */
  account?: string | undefined
  /** The product ID, a UUID: in the dashboard under Products. License keys of other products are refused. */
  product: string
  /**
   * The "Ed25519 128-bit Verify Key", 64 hex digits: in the dashboard under Settings. If it is set, the signature,
   * digest, and date of each response are verified, and a stored response proves offline that the device was entitled.
   */
  publicKey?: string | undefined
  /** Host name of a self-hosted server. @default 'api.keygen.sh' */
  host?: string | undefined
  /** Base URL of a self-hosted server without `/v1`, instead of `host`. @default `https://<host>` */
  baseUrl?: string | undefined
  /**
   * A product token that authorizes requests instead of the license key. It is secret: use it only in a gateway or
   * support tool, never in an app.
   */
  token?: string | undefined
  /**
   * Whether a license's features are its entitlements: their codes, at most 100. This takes one more request at each
   * activation and check.
   * @default false: the features are the list `features` in the license's metadata
   */
  entitlements?: boolean | undefined
}

const idThat = (rule: string) => z.string(rule).check(z.regex(/^[\w-]{2,80}$/u, rule))
const publicKeyRule = 'must be the verify key in Settings, 64 hex digits'

const optionsSchema = z
  .strictObject({
    account: z.optional(idThat('must be the account ID in Settings')),
    product: idThat("must be the product's ID"),
    publicKey: z.optional(z.string(publicKeyRule).check(z.regex(/^[\da-f]{64}$/iu, publicKeyRule))),
    // `https://https://…` would be a URL, too.
    host: z.optional(
      z.string().check(z.refine((host) => !host.includes('://'), 'must be a host name, without https://')),
    ),
    token: z.optional(secretOption),
    entitlements: onOrOff,
    ...serviceOptions,
  })
  .check(
    z.refine(({ account, host, baseUrl }) => (account ?? host ?? baseUrl) !== undefined, {
      error: 'must be the account ID in Settings, unless you set host',
      path: ['account'],
    }),
  )

// https://keygen.sh/docs/api/machines/
const machineSchema = z.object({
  id: z.string(),
  attributes: z.object({ fingerprint: z.string(), name: text, created: text }),
})
const machineAnswerSchema = z.object({ data: machineSchema })
const machineListSchema = z.object({ data: z.array(z.unknown()) })

const contentType = 'application/vnd.api+json'

/** A verified reply. */
interface SignedReply extends Reply {
  /** See `Answer.proof`. */
  readonly proof: string | null
}

/** A license as returned by *validate key*. */
interface ValidatedLicense {
  readonly kind: 'license'
  /** `null` if the license can be used. */
  readonly refusal: Refusal | Unavailable | null
  readonly license: NonNullable<Validation['license']>
  readonly reply: SignedReply
}

/**
 * Creates the adapter for Keygen, in the cloud or self-hosted.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = keygen({
 *   account: '1fddcec8-8dd3-4d8d-9b16-215cac0f9b52',
 *   product: '3713fb33-1f64-4f68-9bc7-8e1f6b0a1e6d',
 * })
 * ```
 */
export function keygen(options: KeygenOptions): LicenseService {
  const settings = checkOptions('keygen', optionsSchema, options)
  const { account, host, product, publicKey, token, entitlements, customerPortal } = settings
  const hostUrl = { host: `https://${host ?? 'api.keygen.sh'}` }
  const base = settings.baseUrl ?? checkOptions('keygen', z.object({ host: serviceUrl }), hostUrl).host
  const api = account === undefined ? `${base}/v1` : `${base}/v1/accounts/${account}`
  const sendPlain = createSend()

  /** The requests about one license. */
  function requestsOf(licenseKey: string, call: ServiceCall | undefined) {
    /** The signed date of the latest validation, which a nonce proves to be fresh. A much older response is a replay. */
    let freshAtMs: number | null = null

    /** Sends a request. If a public key is set, only a response with a valid signature is accepted. */
    async function send(
      { path, ...request }: Pick<ServiceRequest, 'method' | 'json' | 'acts'> & { readonly path: string },
      authorization: string | null = credential(token, licenseKey),
    ): Promise<SignedReply | Unavailable> {
      const headers = {
        ...(authorization !== null && { authorization }),
        accept: contentType,
        ...(request.json !== undefined && { 'content-type': contentType }),
        ...(publicKey !== undefined && { 'keygen-accept-signature': 'algorithm="ed25519"' }),
      }
      const reply = await sendPlain({ ...request, url: api + path, headers }, call)
      if (reply.kind !== 'reply') return reply
      if (publicKey === undefined) return { ...reply, proof: null }
      const crypto = call?.crypto ?? cryptoOfPlatform()
      const signed = crypto === undefined ? null : await verifyReply(reply, publicKey, crypto)
      if (signed !== null && (freshAtMs === null || signed.signedAtMs >= freshAtMs - replayWindowMs)) {
        return { ...reply, serverDateMs: signed.signedAtMs, proof: signed.proof }
      }
      return unavailable('unsigned-answer', {
        httpStatus: reply.status,
        bodyIsJson: reply.body !== undefined,
        mayHaveActed: request.acts === true,
        detail: crypto === undefined ? 'this platform has no Web Crypto' : null,
      })
    }

    async function sendToMachine(
      method: 'GET' | 'DELETE',
      idOrFingerprint: string,
    ): Promise<SignedReply | Unavailable> {
      if (!isAnyId(idOrFingerprint)) {
        return unavailable('misconfigured', { detail: 'an ID that cannot be sent' })
      }
      const path = `/machines/${encodeURIComponent(idOrFingerprint)}`
      return send({ method, path, acts: method === 'DELETE' })
    }

    /** Validates the license and, with a fingerprint, one device. */
    async function validateKey(
      fingerprint: string | null,
    ): Promise<ValidatedLicense | Refusal | Unavailable> {
      const nonce = createNonce(call?.crypto ?? cryptoOfPlatform())
      const scope = { product, ...(fingerprint !== null && { fingerprint }) }
      const json = { meta: { key: licenseKey, nonce, scope } }
      const reply = await send({ method: 'POST', path: validatePath, json }, null)
      if (reply.kind !== 'reply') return reply
      // This route answers every license key with 200, so an error of the service itself is about the account.
      if (reply.status === 404 && errorCodeOf(reply)) return readCode('ACCOUNT', reply)
      const seen = reply.status === 200 ? readValidation(reply.body, product) : null
      if (seen?.nonce !== nonce) return undocumented(reply)
      freshAtMs = reply.serverDateMs
      const { isValid, code, license } = seen
      if (license === null) return readCode(code, reply)
      const isAboutUs =
        (seen.licenseKey ?? licenseKey) === licenseKey &&
        (fingerprint === null || (seen.scope.fingerprint ?? fingerprint) === fingerprint)
      if (!isAboutUs) return undocumented(reply)
      return { kind: 'license', refusal: isValid ? null : readCode(code, reply, license), license, reply }
    }

    /** Adds the license's features if they are its entitlements. */
    async function withFeatures(seen: ValidatedLicense): Promise<ValidatedLicense | Unavailable> {
      if (!entitlements) return seen
      const { license, reply } = seen
      const got = await send({ method: 'GET', path: entitlementsPath(license.id) })
      if (got.kind !== 'reply') return got
      const features = got.status === 200 ? codesOf(got.body) : null
      if (features !== null) {
        const proof = joinProofs(reply.proof, got.proof)
        return { ...seen, license: { ...license, features }, reply: { ...reply, proof } }
      }
      // Without its features, the license would look like one that doesn't include them. It was just validated, so it
      // isn't refused either.
      const failure = readError(got)
      return failure.kind === 'refusal' ? undocumented(got) : failure
    }

    /** Creates the outcome for a device of a license. */
    async function outcomeOf(
      seen: ValidatedLicense,
      activation: Activation,
    ): Promise<Outcome<ActivatedLicense>> {
      const { refusal: refused, reply } = seen
      const hasEnded = refused?.kind === 'refusal' && refused.reason === 'expired'
      if (refused !== null && !(hasEnded && reply.proof !== null)) return refused
      const whole = await withFeatures(seen)
      // Some policies deny an ended license its entitlements.
      const isDenied = hasEnded && whole.kind === 'unavailable' && whole.cause === 'access-denied'
      const known = isDenied ? seen : whole
      if (known.kind !== 'license') return known
      const { proof } = known.reply
      // A license can entitle the builds that it covers after its end, so that refusal has a proof, too.
      if (refused !== null) return { ...refused, proof }
      return answer({ license: known.license, activation }, reply.serverDateMs, proof)
    }

    async function findMachine(idOrFingerprint: string): Promise<Activation | Refusal | Unavailable> {
      if (token !== undefined) return findListedMachine(idOrFingerprint)
      const shown = read(await sendToMachine('GET', idOrFingerprint), machineAnswerSchema, readMachineError)
      return shown.kind === 'read' ? activationOf(shown.body.data) : shown
    }

    /** Finds a machine in the license's own list, because the vendor's token can read the machines of every license. */
    async function findListedMachine(idOrFingerprint: string): Promise<Activation | Refusal | Unavailable> {
      const seen = await validateKey(null)
      if (seen.kind !== 'license') return seen
      const listed = await listMachines(seen)
      if (listed.kind !== 'answer') return listed
      const { activations, isWhole } = listed.value
      const found = activations.find(
        ({ id, fingerprint }) => id === idOrFingerprint || fingerprint === idOrFingerprint,
      )
      if (found !== undefined) return found
      const { serverDateMs } = listed
      return isWhole
        ? refusal('unknown-activation', { status: 200, serverDateMs })
        : unavailable('unexpected-answer', { httpStatus: 200, bodyIsJson: true, serverDateMs })
    }

    async function createMachine(
      fingerprint: string,
      name: string,
      { license }: ValidatedLicense,
    ): Promise<Activation | Refusal | Unavailable> {
      const data = {
        type: 'machines',
        attributes: { fingerprint, name },
        relationships: { license: { data: { type: 'licenses', id: license.id } } },
      }
      const reply = await send({ method: 'POST', path: '/machines', acts: true, json: { data } })
      // Another process activated this device at the same time.
      const isTaken = reply.kind === 'reply' && errorCodeOf(reply) === 'FINGERPRINT_TAKEN'
      if (isTaken) return findMachine(fingerprint)
      const made = read(reply, machineAnswerSchema, (refused) => readError(refused, license))
      return made.kind === 'read' ? activationOf(made.body.data) : made
    }

    /** Lists the machines of a license of any product, so that a seat can be given back whatever became of its license. */
    async function listMachines({ license }: ValidatedLicense): Promise<Outcome<ActivationList>> {
      const readPage = async (number: number): Promise<ActivationPage | Refusal | Unavailable> => {
        const page = { 'page[size]': '100', 'page[number]': String(number + 1) }
        const query = new URLSearchParams({ license: license.id, ...page })
        const reply = await send({ method: 'GET', path: `/machines?${query}` })
        const listed = read(reply, machineListSchema, readError)
        if (listed.kind !== 'read') return listed
        const items = listed.body.data.map((item) => {
          const machine = machineSchema.safeParse(item)
          return machine.success ? activationOf(machine.data) : null
        })
        const { serverDateMs } = listed.reply
        return { kind: 'page', items, isLast: items.length < 100, serverDateMs }
      }
      return readActivations(readPage, license.seatsInUse, token === undefined ? null : 'token')
    }

    return {
      sendToMachine,
      validateKey,
      withFeatures,
      outcomeOf,
      findMachine,
      findListedMachine,
      createMachine,
      listMachines,
    }
  }

  return {
    name: 'keygen',
    baseUrl: api,
    capabilities: {
      listsActivations: true,
      idempotentByFingerprint: true,
      tellsTheEnd: true,
      signsItsAnswers: publicKey !== undefined,
      // 500 in five minutes.
      requestsPerMinute: 100,
    },
    links: { customerPortal },
    vendorSecrets: token === undefined ? [] : ['token'],
    // Vendors can set custom license keys, so any text may be one.
    findLicenseKey: (text) => findLicenseKey(text, 'keygen'),

    async validate({ licenseKey, activationId, fingerprint }, call) {
      const { validateKey, outcomeOf } = requestsOf(licenseKey, call)
      const seen = await validateKey(fingerprint)
      if (seen.kind !== 'license') return seen
      return outcomeOf(seen, { id: activationId, deviceName: null, fingerprint, createdAtMs: null })
    },

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      const { validateKey, outcomeOf, findMachine, createMachine } = requestsOf(licenseKey, call)
      const before = await validateKey(fingerprint)
      if (before.kind !== 'license') return before
      const { refusal: refused } = before
      if (refused === null) {
        const found = await findMachine(fingerprint)
        return 'kind' in found ? found : outcomeOf(before, found)
      }
      if (refused.kind !== 'refusal' || refused.reason !== 'unknown-activation') return refused
      const made = await createMachine(fingerprint, deviceName, before)
      if ('kind' in made) return made
      const after = await validateKey(fingerprint)
      const outcome = after.kind === 'license' ? await outcomeOf(after, made) : after
      if (outcome.kind === 'unavailable') {
        // The machine exists, whatever a proxy says about the second look at its license.
        const isAboutTheLook = ['not-found', 'rejected', 'access-denied'].includes(outcome.cause)
        const cause = isAboutTheLook ? 'unexpected-answer' : outcome.cause
        return { ...outcome, cause, bodyIsJson: null, mayHaveActed: true }
      }
      return outcome.kind === 'refusal' ? { ...outcome, leftoverActivationId: made.id } : outcome
    },

    async deactivate({ licenseKey, activationId }, call) {
      const { sendToMachine, findMachine, findListedMachine } = requestsOf(licenseKey, call)
      let id = activationId
      if (token !== undefined) {
        const own = await findListedMachine(activationId)
        if ('kind' in own) return own
        // By a fingerprint, Keygen could find a machine of another license.
        id = own.id
      }
      const reply = await sendToMachine('DELETE', id)
      if (reply.kind !== 'reply') return reply
      if (reply.status !== 204) return readMachineError(reply)
      if (publicKey !== undefined) return answer(null, reply.serverDateMs)
      // The response is unsigned and has no body, so a network's sign-in page could have sent it.
      const seen = await findMachine(id)
      if (!('kind' in seen)) return undocumented(reply)
      if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
      return seen.reason === 'unknown-activation' ? answer(null, reply.serverDateMs) : seen
    },

    async listActivations({ licenseKey }, call) {
      const { validateKey, listMachines } = requestsOf(licenseKey, call)
      const seen = await validateKey(null)
      if (seen.kind !== 'license') return seen
      const { refusal: refused } = seen
      // The devices of another product are none of this app's.
      const isForeign = refused?.kind === 'refusal' && refused.reason === 'wrong-product'
      return isForeign ? refused : listMachines(seen)
    },

    async showLicense({ licenseKey }, call) {
      const { validateKey, withFeatures } = requestsOf(licenseKey, call)
      const seen = await validateKey(null)
      if (seen.kind !== 'license') return seen
      const { refusal: refused } = seen
      const lacksDevice = refused?.kind === 'refusal' && refused.reason === 'unknown-activation'
      const wantsDevice = refused?.kind === 'unavailable' && refused.detail === 'FINGERPRINT_SCOPE_REQUIRED'
      if (refused?.kind === 'unavailable' && !wantsDevice) return refused
      const whole = await withFeatures(seen)
      if (refused?.kind === 'refusal' && !lacksDevice) {
        // Without its features, the license would look like one that doesn't include them.
        return { ...refused, license: whole.kind === 'license' ? whole.license : null }
      }
      if (whole.kind !== 'license') return whole
      return answer({ ...whole.license, status: 'active' }, whole.reply.serverDateMs)
    },

    ...(publicKey !== undefined && { readProof: createProofReader(api, product, publicKey, entitlements) }),
  }
}

function activationOf({ id, attributes }: z.output<typeof machineSchema>): Activation {
  const { fingerprint, name, created } = attributes
  return { id, deviceName: name ?? null, fingerprint, createdAtMs: timestampMs(created) }
}

/** Authorizes with the license key, or with the vendor's token if it is set: https://keygen.sh/docs/api/authentication/ */
function credential(token: string | undefined, licenseKey: string): string {
  if (token !== undefined) return `Bearer ${token}`
  if (/^[\x21-\x7e]+$/u.test(licenseKey)) return `License ${licenseKey}`
  // A header can't contain other characters, such as a custom key's letters.
  const bytes = new TextEncoder().encode(`license:${licenseKey}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** `undefined` in the main process of Electron before 28. There, the caller passes `crypto` with the call. */
function cryptoOfPlatform(): WebCrypto | undefined {
  return globalThis.crypto
}

/** Returns an integer, because Keygen doesn't accept a string. */
function createNonce(crypto: WebCrypto | undefined): number {
  const [high = 0, low = 0] = crypto?.getRandomValues(new Uint32Array(2)) ?? [
    Math.random() * 2 ** 32,
    Math.random() * 2 ** 32,
  ]
  return (Math.floor(high) % 2 ** 21) * 2 ** 32 + Math.floor(low)
}
