import { isSameId } from '@latchkey/commerce'
import type { Activation, ActivationList, Answer, Refusal, Unavailable } from '@latchkey/services'
import { isServiceName, serviceSettings } from '@latchkey/services/environment'
import { CommandError, exitCodes } from '../command-error.ts'
import { failureError } from '../explain/failure.ts'
import { readActivationId, readLicenseKey } from '../read-input.ts'
import { type ServiceContext, show } from '../settings.ts'
import { table } from '../terminal.ts'

/** `latchkey devices list <license>` */
export async function listDevices(context: ServiceContext, license: string): Promise<number> {
  const { service, terminal, options } = context
  const { value } = await list(context, await readLicenseKey(service, license, terminal))
  const { activations, isWhole } = value
  if (options.json) return show(context, { devices: activations.map(shown), isWhole })
  const rows = activations.map((one) => [nameOf(one), dateOf(one) ?? 'unknown', one.id])
  if (rows.length > 0) await terminal.print(...table(['DEVICE', 'ACTIVATED', 'ACTIVATION ID'], rows))
  else terminal.tell('No device is activated on this license.')
  if (!isWhole) terminal.tell('The list isn’t complete: part of it could not be read.')
  return exitCodes.ok
}

/** `latchkey devices show <license> <activation-id>` */
export async function showDevice(context: ServiceContext, license: string, id: string): Promise<number> {
  const activation = await find(context, await readLicenseKey(context.service, license, context.terminal), id)
  return show(
    context,
    { device: shown(activation) },
    `Device         ${nameOf(activation)}`,
    `Activation id  ${activation.id}`,
    `Activated      ${dateOf(activation) ?? 'unknown'}`,
  )
}

/** `latchkey devices release <license> <activation-id>` */
export async function releaseDevice(
  context: ServiceContext,
  license: string,
  given: string,
): Promise<number> {
  const { service, call, terminal } = context
  const licenseKey = await readLicenseKey(service, license, terminal)
  // A mistyped id is reported, and not a freed seat.
  const activation = await find(context, licenseKey, given)
  const { id, fingerprint } = activation
  const outcome = await service.deactivate(
    { licenseKey, activationId: id, fingerprint: fingerprint ?? '' },
    call,
  )
  if (outcome.kind !== 'answer') await expectGone(context, licenseKey, id, outcome)
  const name = nameOf(activation)
  return show(context, { released: { id, name } }, `Released ${name}. ${whenNoticed(service.name)}`)
}

/** An app without a list of devices, which needs the vendor's key, trusts only a second refusal, a day after the first. */
function whenNoticed(service: string): string {
  const listsOnlyForVendor =
    isServiceName(service) &&
    serviceSettings[service].variables.some(({ isSecret, isRequired }) => isSecret && isRequired)
  const later = listsOnlyForVendor ? '. Without a gateway, it does so at the first check a day later' : ''
  return `At its next check, the app on that device asks to be activated again${later}.`
}

async function list(context: ServiceContext, licenseKey: string): Promise<Answer<ActivationList>> {
  const listed = await context.service.listActivations({ licenseKey }, context.call)
  if (listed.kind !== 'answer') throw failureError(listed, context, 'list devices')
  return listed
}

async function find(context: ServiceContext, licenseKey: string, given: string): Promise<Activation> {
  const activationId = await readActivationId(given, context.terminal)
  const { value } = await list(context, licenseKey).catch((error: unknown) => {
    if (!(error instanceof CommandError) || error.exitCode !== exitCodes.notFound) throw error
    throw new CommandError(
      `${error.message} Pass the license key first, then the activation id.`,
      error.exitCode,
    )
  })
  const activation = value.activations.find(({ id }) => isSameId(id, activationId))
  if (activation !== undefined) return activation
  refuseDeviceName(value.activations, activationId)
  throw new CommandError(
    'The license has no such device. `latchkey devices list` shows which it still has, each with its activation id.',
    exitCodes.notFound,
  )
}

/** Refuses the name or fingerprint of a device in place of its activation id. @throws {CommandError} */
export function refuseDeviceName(activations: readonly Activation[], text: string): void {
  // The text is one word, but the name that is listed may have more.
  const words = activations.flatMap((activation) => nameOf(activation).split(/[\s[\]]+/u))
  if (!words.includes(text)) return
  throw new CommandError('The argument names a device. Copy its activation id from latchkey devices list.')
}

/**
 * Lists the devices again after a failed release, because neither a refusal nor a lost answer proves anything about the
 * seat.
 *
 * @throws {CommandError} unless a complete list lacks the device.
 */
async function expectGone(
  context: ServiceContext,
  licenseKey: string,
  activationId: string,
  failed: Refusal | Unavailable,
): Promise<void> {
  const listed = await context.service.listActivations({ licenseKey }, context.call)
  const { activations, isWhole } =
    listed.kind === 'answer' ? listed.value : { activations: [], isWhole: false }
  const isListed = activations.some(({ id }) => isSameId(id, activationId))
  if (!isListed && isWhole) return
  const { message, exitCode } = failureError(failed, context, 'deactivate')
  if (isListed && exitCode === exitCodes.notFound) {
    // The service has just listed the device, so it isn't unknown.
    throw new CommandError(
      'The seat is still taken. The service refused to release it.',
      exitCodes.unexpected,
    )
  }
  throw new CommandError(
    isListed
      ? `The seat is still taken. ${message}`
      : `${message} The seat may still be taken. Check it with devices list.`,
    exitCode,
  )
}

/** Returns a device's whole name as it is stored at most services. */
export function nameOf({ deviceName, fingerprint }: Activation): string {
  const [label, mark] = [deviceName ?? '', fingerprint === null ? '' : `[${fingerprint}]`]
  // A service with a field for the fingerprint may have it in the name, too.
  return label.endsWith(mark) ? label : `${label} ${mark}`.trim()
}

function dateOf({ createdAtMs }: Activation): string | null {
  return createdAtMs === null ? null : new Date(createdAtMs).toISOString()
}

function shown(activation: Activation): object {
  return { id: activation.id, name: nameOf(activation), created_at: dateOf(activation) }
}
