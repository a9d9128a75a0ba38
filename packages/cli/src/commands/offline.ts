import { constants, existsSync } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isTestLicense } from '@latchkey/services'
import {
  activateForRequest,
  freeReleasedSeat,
  mostTrustedKeys,
  type OfflineActivationService,
  offlineClaimsOf,
  offlineType,
  type ReleaseCodeFault,
  type ReleaseTicketKey,
  readOfflineRequest,
  readReleaseCode,
  trustedKeyLength,
  wrapOfflineText,
  writeOfflineAnswer,
} from '@latchkey/services/offline'
import { CompactSign, type CryptoKey, calculateJwkThumbprint, importJWK } from 'jose'
import * as z from 'zod/mini'
import { CommandError, exitCodes } from '../command-error.ts'
import { explainReason, failureError, sentencesOf } from '../explain/failure.ts'
import { type ServiceContext, show } from '../settings.ts'
import { readTextFile, systemCodeOf, type Terminal, writeError } from '../terminal.ts'

/** The options of `latchkey offline sign`. */
export interface SignOptions {
  /** How long the computer may run without internet, in days. */
  readonly days: number
  /** The file to write; `-` is standard output. @default standard output */
  readonly out?: string
}

/** `latchkey offline sign <file>` */
export async function signOfflineRequest(
  context: ServiceContext,
  file: string,
  { days, ...options }: SignOptions,
): Promise<number> {
  const { terminal } = context
  const out = options.out === '-' ? undefined : options.out
  const keys = await readSigningKeys(terminal.env['LATCHKEY_SIGNING_KEY'])
  const { text, place } = await readOfflineFile(file, terminal)
  const read = readOfflineRequest(text)
  if (!read.ok) throw new CommandError(`${place} ${faultText(read.fault, 'request')}`)
  const { request } = read
  const key = keyFor(request.trustedKeys, keys)
  if (out !== undefined) await checkOut(out)
  const nowMs = Date.now()
  const service = withoutTestLicenses(context, listingService(context, request.licenseKey))
  const activation = await activateForRequest(service, request, nowMs)
  const device = request.deviceName
  if (activation.kind === 'unlisted') {
    throw new CommandError(
      'The service refuses to list the license’s devices, so that each answer could take another seat. No seat was taken.',
      exitCodes.unexpected,
    )
  }
  if (activation.kind === 'failed') {
    const { outcome, mayHaveSeat = false } = activation
    const operation = outcome.mayHaveActed ? 'activate' : 'list devices'
    const { message, exitCode } = failureError(outcome, context, operation)
    const wait =
      ' A seat may have been taken. Wait a minute before you sign again: the service then lists the seat, so that you don’t take a second one.'
    throw new CommandError(`${message}${mayHaveSeat ? wait : ''}`, exitCode)
  }
  if (activation.kind === 'refused') {
    const { reason } = activation
    const isUnknown = reason === 'unknown-license'
    if (!context.options.json || isUnknown) {
      const advice = reason === 'no-seat-left' ? ' Free one with: latchkey devices release.' : ''
      const exitCode = isUnknown ? exitCodes.notFound : exitCodes.negative
      throw new CommandError(`${sentencesOf(explainReason(reason, context), context)}${advice}`, exitCode)
    }
    await terminal.writeJson({ device, validUntil: null, answer: null, refused: reason })
    return exitCodes.negative
  }
  const { license, activationId } = activation
  const claims = await offlineClaimsOf({ request, license, activationId, days, nowMs, signedBy: key })
  const jws = await new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'EdDSA', typ: offlineType, kid: key.id })
    .sign(key.key)
  const answer = wrapOfflineText(writeOfflineAnswer(jws))
  const validUntil = new Date(claims.exp * 1000).toISOString()
  if (out !== undefined) {
    await writeFile(out, answer, { flag: 'wx' }).catch((error: unknown) => {
      throw outError(out, error, 'Signing again takes no second seat.')
    })
  }
  const told = `Activated ${device} until ${validUntil}.`
  if (out === undefined && !context.options.json) terminal.tell(`${told} This is the answer for it:`)
  const lines = out === undefined ? answer.trimEnd().split('\n') : [`${told} Send ${out} to the customer.`]
  return show(context, { device, validUntil, answer, refused: null }, ...lines)
}

/** `latchkey offline release <file>` */
export async function releaseOfflineSeat(context: ServiceContext, file: string): Promise<number> {
  const { terminal } = context
  const keys = await readSigningKeys(terminal.env['LATCHKEY_SIGNING_KEY'])
  const { text, place } = await readOfflineFile(file, terminal)
  const read = await readReleaseCode(text, keys)
  if (!read.ok) throw new CommandError(`${place} ${faultText(read.fault, 'release code')}`)
  const { release } = read
  const outcome = await freeReleasedSeat(listingService(context, release.licenseKey), release)
  if (outcome.kind === 'failed') throw failureError(outcome.outcome, context, 'deactivate')
  if (outcome.kind === 'refused') {
    const explanation = explainReason(outcome.reason, context)
    throw new CommandError(sentencesOf(explanation, context), explanation.exitCode)
  }
  const released = outcome.kind === 'freed'
  const deactivatedAt = new Date(release.deactivatedAtMs).toISOString()
  const device = release.deviceName
  const told = released
    ? `Freed the seat of ${device}, which was deactivated at ${deactivatedAt}.`
    : `The seat of ${device} was free already. There is nothing left to do.`
  return show(context, { released, device, deactivatedAt }, told)
}

/** Reads a file; `-` is standard input. The message doesn't repeat the argument, which may be the text itself or a secret. */
async function readOfflineFile(
  file: string,
  terminal: Terminal,
): Promise<{ readonly text: string; readonly place: string }> {
  if (file === '-') return { text: await terminal.readInput(), place: 'Standard input' }
  const message = 'The file cannot be read. Pass the name of a file, and check its path and permissions.'
  return { text: await readTextFile(file, message), place: 'The file' }
}

/** Continues a sentence about a text that is no request, or no release code. */
function faultText(fault: ReleaseCodeFault, wanted: 'request' | 'release code'): string {
  const ask = 'Ask for the file that the app saved'
  const texts: Readonly<Record<ReleaseCodeFault, string>> = {
    'too-long': `is too large to be a ${wanted} of an app.`,
    nothing: `contains no ${wanted} of an app. ${ask}, or for the text that it shows.`,
    'other-kind': `contains another text of an app than a ${wanted}. A request is for latchkey offline sign, a release code for latchkey offline release, and an answer for the customer.`,
    'online-lease': `contains the lease of an online activation, not a ${wanted}.`,
    torn: `is incomplete or was changed. ${ask}.`,
    newer: 'is from a newer app. Update latchkey.',
    edited: `was changed. ${ask}. Nothing was freed.`,
    'unknown-key':
      'belongs to an answer of another signing key. Set LATCHKEY_SIGNING_KEY to the key that signed it, or use: latchkey devices release. Nothing was freed.',
  }
  return texts[fault]
}

const nothingActivated = 'Nothing was activated.'

/** Checks that a file can be written, before a seat is taken. @throws {CommandError} if it can't */
async function checkOut(file: string): Promise<void> {
  if (existsSync(file)) throw outError(file, null, nothingActivated)
  await access(path.dirname(file), constants.W_OK).catch((error: unknown) => {
    throw outError(file, error, nothingActivated)
  })
}

/** @param error `null` if the file exists already. @param after what that means for the seat. */
function outError(file: string, error: unknown, after: string): CommandError {
  const exists = error === null || systemCodeOf(error) === 'EEXIST'
  const why = exists
    ? `${file} exists already. Choose another name with --out.`
    : writeError(file, error).message
  return new CommandError(`${why} ${after}`)
}

/** Returns the service that a license belongs to. @throws {CommandError} if it has no license keys of this form. */
function listingService({ service, call }: ServiceContext, licenseKey: string): OfflineActivationService {
  if (service.name === 'commerce' && !service.findLicenseKey(licenseKey).ok) {
    throw new CommandError(
      'The license key in the text isn’t a UUID. For a license of another service, set LATCHKEY_SERVICE.',
    )
  }
  return {
    listActivations: (request) => service.listActivations(request, call),
    activate: (request) => service.activate(request, call),
    validate: (request) => service.validate(request, call),
    deactivate: (request) => service.deactivate(request, call),
  }
}

/** Returns the service as packaged apps and gateways use it: without license keys of test mode that aren't allowed. */
function withoutTestLicenses(
  { service }: ServiceContext,
  listing: OfflineActivationService,
): OfflineActivationService {
  return {
    ...listing,
    activate: (request) => listing.activate({ ...request, allowsTestLicense: false }),
    async validate(request) {
      const outcome = await listing.validate(request)
      if (outcome.kind !== 'answer' || !isTestLicense(service, outcome.value.license)) return outcome
      const { value, serverDateMs } = outcome
      const refused = { kind: 'refusal', reason: 'test-license', leftoverActivationId: null } as const
      return { ...refused, license: value.license, httpStatus: 200, serverDateMs }
    },
  }
}

/** One of the gateway's keys. */
interface SigningKey extends ReleaseTicketKey {
  readonly key: CryptoKey | Uint8Array
}

const coordinate = z.string().check(z.regex(/^[\w-]{43}$/u))
const keySchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: coordinate,
  d: coordinate,
})
const keysSchema = z.union([
  z.object({ keys: z.array(keySchema).check(z.minLength(1)) }),
  z.pipe(
    keySchema,
    z.transform((key) => ({ keys: [key] })),
  ),
])

/**
 * Reads the gateway's `LATCHKEY_SIGNING_KEY`.
 *
 * @throws {CommandError} if it is missing or no private Ed25519 key, or if its two halves don't belong together. No message
 * shows any of it.
 */
async function readSigningKeys(setting = ''): Promise<readonly SigningKey[]> {
  if (setting.trim() === '') {
    throw new CommandError(
      'Set LATCHKEY_SIGNING_KEY to the signing key of your gateway: apps trust only that.',
    )
  }
  try {
    const { keys } = keysSchema.parse(JSON.parse(setting))
    return await Promise.all(
      keys.map(async (jwk) => {
        const [id, key] = await Promise.all([calculateJwkThumbprint(jwk), importJWK(jwk, 'EdDSA')])
        return { id, d: jwk.d, key }
      }),
    )
  } catch {
    throw new CommandError(
      'LATCHKEY_SIGNING_KEY must be the JSON of a private key, with an x and a d that belong together: of the output of latchkey-gateway keys generate, use only the value of signingKey. In a shell or a settings file, put it in single quotes; in Docker’s --env-file, in none.',
    )
  }
}

/**
 * Returns the first key that the app trusts, else the first one.
 *
 * @param trustedKeys how the ids of the keys that the app trusts begin; empty if it didn't say.
 * @throws {CommandError} if the app trusts none of the keys, so that it would reject the answer.
 */
function keyFor(trustedKeys: readonly string[], keys: readonly SigningKey[]): SigningKey {
  const trusted = keys.find(({ id }) => trustedKeys.some((start) => id.startsWith(start)))
  // An app that trusts more keys lists only the first ones.
  const isWhole = trustedKeys.length > 0 && trustedKeys.length < mostTrustedKeys
  const key = trusted ?? (isWhole ? undefined : keys[0])
  if (key !== undefined) return key
  const own = keys.map(({ id }) => id.slice(0, trustedKeyLength))
  throw new CommandError(
    `LATCHKEY_SIGNING_KEY has no key that the app trusts, so the app would reject the answer. ${nothingActivated} The ids of the keys that the app trusts begin with: ${trustedKeys.join(', ')}. Yours: ${own.join(', ')}. Set LATCHKEY_SIGNING_KEY to the key whose public part is in the app’s leaseKeys.`,
  )
}
