import { constants, existsSync } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isTestLicense, type RefusalReason, type Unavailable } from '@latchkey/services'
import {
  activateForRequest,
  freeReleasedSeat,
  type OfflineActivationService,
  type OfflineTextFault,
  offlineClaimsOf,
  offlineType,
  type ReleaseCodeFault,
  readOfflineRequest,
  readReleaseCode,
  wrapOfflineText,
  writeOfflineAnswer,
} from '@latchkey/services/offline'
import { CommandError, exitCodes } from '../command-error.ts'
import { explainReason, failureError, sentencesOf } from '../explain/failure.ts'
import { readOfflineFile } from '../read-input.ts'
import type { ServiceContext } from '../settings.ts'
import { printable, refuseFolder, shownFile, systemCodeOf } from '../terminal.ts'
import { createAnswerSigner } from './answer-signer.ts'
import { onlyVendorLists } from './keys.ts'

/** The options of `latchkey offline sign`. */
export interface SignOptions {
  /** How long the computer may run without internet, in days. */
  readonly days: number
  /** The file to write; `-` is standard output. @default standard output */
  readonly out?: string
}

const requestFaults: Readonly<Record<OfflineTextFault, string>> = {
  'too-long': 'is too large to be a request of an app.',
  nothing:
    'contains no request of an app. Ask for the file that the app saved, or for the text that it shows.',
  'other-kind': 'contains an answer, not a request. Send it to the customer as it is.',
  'online-lease': 'contains the lease of an online activation, not a request.',
  torn: 'is incomplete or was changed. Ask for the file that the app saved.',
  newer: 'is from a newer app. Update latchkey.',
}

const nothingActivated = 'Nothing was activated.'

/** `latchkey offline sign <file>` */
export async function signOfflineRequest(
  context: ServiceContext,
  file: string,
  { days, ...options }: SignOptions,
): Promise<number> {
  const { terminal } = context
  const out = options.out === '-' ? undefined : options.out
  const signer = createAnswerSigner(terminal.env['LATCHKEY_SIGNING_KEY'])
  const { text, place } = await readOfflineFile(file, terminal, requestFaults['too-long'])
  const read = readOfflineRequest(text)
  if (!read.ok) {
    const isReleaseCode = read.fault === 'other-kind' && text.includes('latchkey-release-')
    const fault = isReleaseCode
      ? 'contains a release code, not a request. Use: latchkey offline release.'
      : requestFaults[read.fault]
    throw new CommandError(`${place} ${fault}`)
  }
  const { request } = read
  signer.checkTrusted(request.trustedKeys)
  if (out !== undefined) await checkOut(out)
  const nowMs = Date.now()
  const service = listingService(context, request.licenseKey)
  const activation = await activateForRequest(withoutTestLicenses(context, service), request, nowMs)
  const device = request.deviceName
  if (activation.kind === 'unlisted') {
    throw new CommandError(
      'The service refuses to list the license’s devices, so that each answer could take another seat. No seat was taken.',
      exitCodes.unexpected,
    )
  }
  if (activation.kind === 'failed') {
    throw activationError(context, activation.outcome, activation.mayHaveSeat === true)
  }
  if (activation.kind === 'refused') {
    const { reason } = activation
    const advice = reason === 'no-seat-left' ? ' Free one with: latchkey keys release.' : ''
    const isUnknown = reason === 'unknown-license'
    if (!context.options.json || isUnknown) {
      const exitCode = isUnknown ? exitCodes.notFound : exitCodes.negative
      throw new CommandError(`${sentencesOf(reasonAbout(context, reason), context)}${advice}`, exitCode)
    }
    await terminal.writeJson({ device, validUntil: null, answer: null, refused: reason })
    return exitCodes.negative
  }
  const { license, activationId } = activation
  const signedBy = signer.ticketKeyFor(request.trustedKeys)
  const claims = await offlineClaimsOf({ request, license, activationId, days, nowMs, signedBy })
  const answer = wrapOfflineText(writeOfflineAnswer(signer.sign(claims, offlineType, request.trustedKeys)))
  const validUntil = new Date(claims.exp * 1000).toISOString()
  if (out !== undefined) {
    await writeFile(out, answer, { flag: 'wx' }).catch((error: unknown) => {
      throw outError(out, systemCodeOf(error) === 'EEXIST', 'Signing again takes no second seat.')
    })
  }
  const told = `Activated ${printable(device)} until ${validUntil}.`
  if (context.options.json) await terminal.writeJson({ device, validUntil, answer, refused: null })
  else if (out === undefined) {
    terminal.tell(`${told} This is the answer for it:\n`)
    await terminal.write(answer)
  } else await terminal.write(`${told} Send ${out} to the customer.\n`)
  return exitCodes.ok
}

/** Explains a refusal. If the license isn't known, the command itself says what to do for its service. */
function reasonAbout(context: ServiceContext, reason: RefusalReason): ReturnType<typeof explainReason> {
  const explanation = explainReason(reason)
  const isUnknown = reason === 'unknown-license' && context.name === 'commerce'
  const text =
    'there is no such license, or the base URL is wrong. If the license key is right, check the address'
  return isUnknown ? { ...explanation, text, asksDoctor: true } : explanation
}

function activationError(context: ServiceContext, failed: Unavailable, mayHaveSeat: boolean): CommandError {
  const { cause, httpStatus, bodyIsJson, mayHaveActed } = failed
  const operation = mayHaveActed ? 'activate' : 'list keys'
  const { message, exitCode } = failureError(failed, context, operation)
  const isForbidden = cause === 'access-denied' && httpStatus === 403 && bodyIsJson === true
  if (isForbidden && mayHaveActed) {
    // The service has listed the devices, so the token may be right.
    return new CommandError(
      'The service forbids the activation (status 403), although it lists the devices: the license may be suspended or have ended, or the access token may not allow it. No seat was taken.',
      exitCode,
    )
  }
  // Some services let a key activate a license, but not list its devices.
  const advice = isForbidden ? ' Both listing the devices and activating one must be allowed.' : ''
  const wait = mayHaveSeat
    ? ' A seat may have been taken. Wait a minute before you sign again: the service then lists the seat, so that you don’t take a second one.'
    : ''
  return new CommandError(`${message}${advice}${wait}`, exitCode)
}

/** Checks that a file can be written, before a seat is taken. @throws {CommandError} if it can't */
async function checkOut(file: string): Promise<void> {
  refuseFolder(file, '--out')
  if (existsSync(file)) throw outError(file, true, nothingActivated)
  await access(path.dirname(file), constants.W_OK).catch(() => {
    throw outError(file, false, nothingActivated)
  })
}

function outError(file: string, exists: boolean, after: string): CommandError {
  const why = exists
    ? `The file ${file} exists already. Choose another name with --out.`
    : `The file ${shownFile(file)} cannot be written. Check its folder and permissions.`
  return new CommandError(`${why} ${after}`)
}

const releaseFaults: Readonly<Record<ReleaseCodeFault, string>> = {
  'too-long': 'is too large to be a release code of an app.',
  nothing: 'contains no release code. Ask for the file that the app saved, or for the text that it shows.',
  'other-kind':
    'contains a request or an answer, not a release code. For a request, use: latchkey offline sign.',
  'online-lease': 'contains the lease of an online activation, not a release code.',
  torn: 'is incomplete or was changed. Ask for the file that the app saved.',
  newer: 'is from a newer app. Update latchkey.',
  edited: 'was changed. Ask for the file that the app saved. Nothing was freed.',
  'unknown-key':
    'belongs to an answer of another signing key. Set LATCHKEY_SIGNING_KEY to the key that signed it, or use: latchkey keys release. Nothing was freed.',
}

/** `latchkey offline release <file>` */
export async function releaseOfflineSeat(context: ServiceContext, file: string): Promise<number> {
  const { terminal } = context
  const { ticketKeys } = createAnswerSigner(terminal.env['LATCHKEY_SIGNING_KEY'])
  const { text, place } = await readOfflineFile(file, terminal, releaseFaults['too-long'])
  const read = await readReleaseCode(text, ticketKeys)
  if (!read.ok) throw new CommandError(`${place} ${releaseFaults[read.fault]}`)
  const { release } = read
  const outcome = await freeReleasedSeat(listingService(context, release.licenseKey), release)
  if (outcome.kind === 'failed') throw failureError(outcome.outcome, context, 'deactivate')
  if (outcome.kind === 'refused') {
    const explanation = reasonAbout(context, outcome.reason)
    throw new CommandError(sentencesOf(explanation, context), explanation.exitCode)
  }
  const released = outcome.kind === 'freed'
  const deactivatedAt = new Date(release.deactivatedAtMs).toISOString()
  const device = release.deviceName
  if (context.options.json) await terminal.writeJson({ released, device, deactivatedAt })
  else {
    await terminal.write(
      released
        ? `Freed the seat of ${printable(device)}, which was deactivated at ${deactivatedAt}.\n`
        : `The seat of ${printable(device)} was free already. There is nothing left to do.\n`,
    )
  }
  return exitCodes.ok
}

/**
 * Returns the service that a license belongs to.
 *
 * @throws {CommandError} if the service has no license keys of this form, or if it doesn't list devices, so that asking
 * twice could take two seats.
 */
function listingService({ service, call }: ServiceContext, licenseKey: string): OfflineActivationService {
  const found = service.findLicenseKey(licenseKey)
  if (service.name === 'commerce' && !found.ok) {
    throw new CommandError(
      `The license key in the text isn’t a UUID. For a license of another service, set LATCHKEY_SERVICE.`,
    )
  }
  const { listActivations } = service
  if (listActivations === undefined) throw new CommandError(onlyVendorLists)
  return {
    listActivations: (request) => listActivations.call(service, request, call),
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
      return {
        kind: 'refusal',
        reason: 'test-license',
        license: value.license,
        leftoverActivationId: null,
        httpStatus: 200,
        serverDateMs,
      }
    },
  }
}
