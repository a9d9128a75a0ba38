import { composeKeyName, isSameId } from '@latchkey/commerce'
import {
  type Activation,
  type ActivationList,
  type Answer,
  isOlderThan,
  type Refusal,
  type Unavailable,
} from '@latchkey/services'
import { isServiceName, serviceSettings } from '@latchkey/services/environment'
import { incompleteList } from '../commands/keys.ts'
import { exitCodes } from '../exit-codes.ts'
import { printable, table } from '../printable.ts'
import { UsageError } from '../usage-error.ts'
import { listError, OutcomeError, unlistedError, unreleasedError } from './outcome-error.ts'
import type { ServiceContext } from './service-context.ts'
import { readKeyId, readLicenseKey } from './service-license-key.ts'

/**
 * When an app notices that its seat was freed. Without a list of devices, which needs the vendor's key, it trusts only a
 * second refusal, a day after the first.
 */
function whenNoticed(service: string): string {
  const listsOnlyForVendor =
    isServiceName(service) &&
    serviceSettings[service].variables.some(({ isSecret, isRequired }) => isSecret && isRequired)
  const later = listsOnlyForVendor ? '. Without a gateway, it does so at the first check a day later' : ''
  return `At its next check, the app on that device asks to be activated again${later}.`
}

/** `latchkey keys list <license>` */
export async function listServiceKeys(context: ServiceContext, license: string): Promise<number> {
  const { service, terminal } = context
  const { value } = await list(context, await readLicenseKey(service, license, terminal))
  const { activations, isWhole } = value
  if (context.json) return context.printJson({ keys: activations.map(shown), isWhole })
  if (activations.length === 0) terminal.err.write('No device is activated on this license.\n')
  else await terminal.out.write(table(['DEVICE', 'ACTIVATED', 'KEY'], activations.map(row)))
  if (!isWhole) terminal.err.write(incompleteList)
  return exitCodes.ok
}

/** `latchkey keys show <license> <key>` */
export async function showServiceKey(context: ServiceContext, license: string, key: string): Promise<number> {
  const { service, terminal } = context
  const { activation } = await find(context, await readLicenseKey(service, license, terminal), key)
  if (context.json) return context.printJson({ key: shown(activation) })
  const facts: [string, string][] = [
    ['Device', nameOf(activation)],
    ['Key', activation.id],
    ['Activated', dateOf(activation)],
  ]
  for (const [name, value] of facts) await terminal.out.write(`${name.padEnd(11)}${printable(value)}\n`)
  return exitCodes.ok
}

/** `latchkey keys release <license> <key>` */
export async function releaseServiceKey(
  context: ServiceContext,
  license: string,
  key: string,
): Promise<number> {
  const { service, call, terminal } = context
  const licenseKey = await readLicenseKey(service, license, terminal)
  // Show the key first, to report a mistyped id instead of a freed seat.
  const { activation, listedAtMs } = await find(context, licenseKey, key)
  const { id, fingerprint } = activation
  const request = { licenseKey, activationId: id, fingerprint: fingerprint ?? '' }
  const outcome = await service.deactivate(request, call)
  if (outcome.kind !== 'answer') await expectGone(context, licenseKey, id, outcome, listedAtMs)
  if (context.json) return context.printJson({ released: { id, name: nameOf(activation) } })
  await terminal.out.write(`Released ${printable(nameOf(activation))}. ${whenNoticed(service.name)}\n`)
  return exitCodes.ok
}

async function list({ service, call }: ServiceContext, licenseKey: string): Promise<Answer<ActivationList>> {
  const listed = await service.listActivations?.({ licenseKey }, call)
  if (listed === undefined) throw unlistedError()
  if (listed.kind !== 'answer') throw listError(listed)
  return listed
}

interface Found {
  readonly activation: Activation
  /** The service's time when it listed the device; `null` if it didn't report it. */
  readonly listedAtMs: number | null
}

async function find(context: ServiceContext, licenseKey: string, key: string): Promise<Found> {
  const keyId = await readKeyId(key, context.terminal)
  const { value, serverDateMs: listedAtMs } = await list(context, licenseKey).catch((error: unknown) => {
    throw isUnknownLicense(error) ? withOrder(error) : error
  })
  const activation = value.activations.find(({ id }) => isSameId(id, keyId))
  if (activation !== undefined) return { activation, listedAtMs }
  refuseDeviceName(value.activations, keyId)
  throw new OutcomeError(
    'The license has no such key. `latchkey keys list` shows which devices it still has, each with its key id.',
    exitCodes.notFound,
  )
}

/** Refuses the name or fingerprint of a device in place of its key id. @throws {UsageError} */
export function refuseDeviceName(activations: readonly Activation[], text: string): void {
  // The text is one word, but the name that is listed may have more.
  const isListed = activations.some((activation) =>
    nameOf(activation)
      .split(/[\s[\]]+/u)
      .includes(text),
  )
  if (!isListed) return
  throw new UsageError('The argument names a device. Copy its key id from the column KEY of keys list.')
}

function isUnknownLicense(error: unknown): error is OutcomeError {
  return error instanceof OutcomeError && error.suspected === 'license'
}

/** The two arguments may be swapped. */
function withOrder({ message, exitCode, suspected }: OutcomeError): OutcomeError {
  return new OutcomeError(`${message} Pass the license key first, then the key id.`, exitCode, suspected)
}

/**
 * Lists the devices again after a failed release, because neither a refusal nor a lost answer proves anything about the
 * seat.
 *
 * @throws {OutcomeError} unless a complete list lacks the device, and isn't from a cache.
 */
async function expectGone(
  { service, call }: ServiceContext,
  licenseKey: string,
  keyId: string,
  failed: Refusal | Unavailable,
  listedAtMs: number | null,
): Promise<void> {
  const isStopped = failed.kind === 'unavailable' && failed.cause === 'cancelled'
  const listed = isStopped ? undefined : await service.listActivations?.({ licenseKey }, call)
  if (listed?.kind !== 'answer') throw unreleasedError(failed, false)
  const { activations, isWhole } = listed.value
  const isListed = activations.some(({ id }) => isSameId(id, keyId))
  const isOld = isOlderThan(failed.serverDateMs ?? listedAtMs, listed.serverDateMs)
  if (isListed || !isWhole || isOld) throw unreleasedError(failed, isListed)
}

function nameOf({ deviceName, fingerprint }: Activation): string {
  return fingerprint === null
    ? (deviceName ?? '')
    : composeKeyName(deviceName ?? '', fingerprint, Number.POSITIVE_INFINITY)
}

function dateOf({ createdAtMs }: Activation): string {
  return createdAtMs === null ? 'unknown' : new Date(createdAtMs).toISOString()
}

function shown(activation: Activation): object {
  const { id, createdAtMs } = activation
  const created_at = createdAtMs === null ? null : new Date(createdAtMs).toISOString()
  return { id, name: nameOf(activation), created_at }
}

function row(activation: Activation): readonly string[] {
  return [nameOf(activation), dateOf(activation), activation.id]
}
