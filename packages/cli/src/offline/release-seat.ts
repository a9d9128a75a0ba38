import { freeReleasedSeat, type ReleaseCodeFault, readReleaseCode } from '@latchkey/services/offline'
import { exitCodes } from '../exit-codes.ts'
import { asSentence, printable } from '../printable.ts'
import { OutcomeError, outcomeError, reasonTexts, suspectedBy } from '../services/outcome-error.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { UsageError } from '../usage-error.ts'
import { createAnswerSigner } from './answer-signer.ts'
import { listingService } from './listing-service.ts'
import { readOfflineText } from './read-offline-text.ts'

const faults: Readonly<Record<ReleaseCodeFault, string>> = {
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
  const { text, place } = await readOfflineText(file, terminal, faults['too-long'])
  const read = await readReleaseCode(text, ticketKeys)
  if (!read.ok) throw new UsageError(`${place} ${faults[read.fault]}`)
  const { release } = read
  const outcome = await freeReleasedSeat(listingService(context, release.licenseKey), release)
  if (outcome.kind === 'failed') throw outcomeError(outcome.outcome)
  if (outcome.kind === 'refused') {
    const exitCode = outcome.reason === 'unknown-license' ? exitCodes.notFound : exitCodes.unexpected
    throw new OutcomeError(asSentence(reasonTexts[outcome.reason]), exitCode, suspectedBy(outcome.reason))
  }
  const released = outcome.kind === 'freed'
  const device = release.deviceName
  const deactivatedAt = new Date(release.deactivatedAtMs).toISOString()
  if (context.json) return context.printJson({ released, device, deactivatedAt })
  await terminal.out.write(
    released
      ? `Freed the seat of ${printable(device)}, which was deactivated at ${deactivatedAt}.\n`
      : `The seat of ${printable(device)} was free already. There is nothing left to do.\n`,
  )
  return exitCodes.ok
}
