import { constants, existsSync } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Unavailable } from '@latchkey/services'
import {
  activateForRequest,
  type OfflineRequest,
  type OfflineTextFault,
  offlineClaimsOf,
  offlineType,
  readOfflineRequest,
  wrapOfflineText,
  writeOfflineAnswer,
} from '@latchkey/services/offline'
import { exitCodes } from '../exit-codes.ts'
import { asSentence, printable, shownFile } from '../printable.ts'
import { refuseFolder } from '../refuse-folder.ts'
import { OutcomeError, outcomeError, reasonTexts, suspectedBy } from '../services/outcome-error.ts'
import type { ServiceContext } from '../services/service-context.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { createAnswerSigner } from './answer-signer.ts'
import { listingService, withoutTestLicenses } from './listing-service.ts'
import { readOfflineText } from './read-offline-text.ts'

/** The options of `latchkey offline sign`. */
export interface SignOptions {
  /** How long the computer may run without internet, in days. */
  readonly days: number
  /** The file to write; `-` is standard output. @default standard output */
  readonly out?: string
}

const faults: Readonly<Record<OfflineTextFault, string>> = {
  'too-long': 'is too large to be a request of an app.',
  nothing:
    'contains no request of an app. Ask for the file that the app saved, or for the text that it shows.',
  'other-kind': 'contains an answer, not a request. Send it to the customer as it is.',
  'online-lease': 'contains the lease of an online activation, not a request.',
  torn: 'is incomplete or was changed. Ask for the file that the app saved.',
  newer: 'is from a newer app. Update latchkey.',
}

/** `latchkey offline sign <file>` */
export async function signOfflineRequest(
  context: ServiceContext,
  file: string,
  options: SignOptions,
): Promise<number> {
  const { terminal } = context
  const { days } = options
  const out = options.out === '-' ? undefined : options.out
  const signer = createAnswerSigner(terminal.env['LATCHKEY_SIGNING_KEY'])
  const request = await readRequest(file, terminal)
  signer.checkTrusted(request.trustedKeys)
  if (out !== undefined) await checkOut(out)
  const nowMs = Date.now()
  const service = withoutTestLicenses(context, listingService(context, request.licenseKey))
  const activation = await activateForRequest(service, request, nowMs)
  if (activation.kind === 'unlisted') throw new OutcomeError(unlistedText, exitCodes.unexpected)
  if (activation.kind === 'failed') {
    throw failureError(activation.outcome, activation.mayHaveSeat === true)
  }
  if (activation.kind === 'refused') {
    const { reason } = activation
    const error = refusalError(reason)
    if (!context.json || error.exitCode !== exitCodes.negative) throw error
    const nothing = { validUntil: null, answer: null }
    return context.printJson({ device: request.deviceName, ...nothing, refused: reason }, error.exitCode)
  }
  const { license, activationId } = activation
  const signedBy = signer.ticketKeyFor(request.trustedKeys)
  const claims = await offlineClaimsOf({ request, license, activationId, days, nowMs, signedBy })
  const answer = wrapOfflineText(writeOfflineAnswer(signer.sign(claims, offlineType, request.trustedKeys)))
  const validUntil = new Date(claims.exp * 1000).toISOString()
  const device = request.deviceName
  if (out !== undefined) await write(out, answer)
  if (context.json) return context.printJson({ device, validUntil, answer, refused: null })
  const told = `Activated ${printable(device)} until ${validUntil}.`
  if (out === undefined) {
    terminal.err.write(`${told} This is the answer for it:\n`)
    await terminal.out.write(answer)
  } else {
    await terminal.out.write(`${told} Send ${out} to the customer.\n`)
  }
  return exitCodes.ok
}

async function readRequest(file: string, terminal: Terminal): Promise<OfflineRequest> {
  const { text, place } = await readOfflineText(file, terminal, faults['too-long'])
  const read = readOfflineRequest(text)
  if (read.ok) return read.request
  const isReleaseCode = read.fault === 'other-kind' && text.includes('latchkey-release-')
  if (isReleaseCode) {
    throw new UsageError(`${place} contains a release code, not a request. Use: latchkey offline release.`)
  }
  throw new UsageError(`${place} ${faults[read.fault]}`)
}

const unlistedText =
  'The service refuses to list the license’s devices, so that each answer could take another seat. No seat was taken.'

function failureError(outcome: Unavailable, mayHaveSeat: boolean): OutcomeError {
  const { message, exitCode, suspected } = outcomeError(outcome)
  if (isForbiddenActivation(outcome)) return new OutcomeError(forbiddenText, exitCode)
  // Some services let a key activate a license, but not list its devices.
  const isForbidden = outcome.cause === 'access-denied' && outcome.httpStatus !== 401
  const advice = isForbidden ? ' Both listing the devices and activating one must be allowed.' : ''
  const wait = mayHaveSeat ? ` ${waitText}` : ''
  return new OutcomeError(`${message}${advice}${wait}`, exitCode, suspected)
}

/** Whether the service itself forbids an activation after it has listed the devices, so the token may be right. */
function isForbiddenActivation({ cause, httpStatus, bodyIsJson, mayHaveActed }: Unavailable): boolean {
  return cause === 'access-denied' && httpStatus === 403 && bodyIsJson === true && mayHaveActed
}

const forbiddenText =
  'The service forbids the activation (status 403), although it lists the devices: the license may be suspended or have ended, or the access token may not allow it. No seat was taken.'

const waitText =
  'A seat may have been taken. Wait a minute before you sign again: the service then lists the seat, so that you don’t take a second one.'

function refusalError(reason: keyof typeof reasonTexts): OutcomeError {
  const advice = reason === 'no-seat-left' ? ' Free one with: latchkey keys release.' : ''
  const exitCode = reason === 'unknown-license' ? exitCodes.notFound : exitCodes.negative
  return new OutcomeError(`${asSentence(reasonTexts[reason])}${advice}`, exitCode, suspectedBy(reason))
}

/** Checks that a file can be written, before a seat is taken. @throws {UsageError} if it can't */
async function checkOut(file: string): Promise<void> {
  refuseFolder(file, '--out', nothingActivated)
  if (existsSync(file)) throw writeError(file, true, nothingActivated)
  await access(path.dirname(file), constants.W_OK).catch(() => {
    throw writeError(file, false, nothingActivated)
  })
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw writeError(file, exists, 'Signing again takes no second seat.')
  }
}

const nothingActivated = 'Nothing was activated.'

function writeError(file: string, exists: boolean, after: string): UsageError {
  const why = exists
    ? `The file ${file} exists already. Choose another name with --out.`
    : `The file ${shownFile(file)} cannot be written. Check its folder and permissions.`
  return new UsageError(`${why} ${after}`)
}
