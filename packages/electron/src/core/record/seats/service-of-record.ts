import { isUuid } from '../../../shared/uuid.ts'
import type { IdForm } from '../../ports/service-port.ts'
import type { ActivationRecord, Vault } from '../vault.ts'

/** Whether an activation belongs to another service than the one the app uses. */
export function isOfOtherService(
  activation: ActivationRecord,
): activation is ActivationRecord & { readonly service: string } {
  return activation.service !== undefined
}

/** Stands for a service that the record didn't name: the commerce service, or one behind a gateway. */
export const unnamed = 'unnamed'

/**
 * Returns the vault as an app that uses this service has to see it. The new service knows nothing of the old one's seats, so
 * nothing is pending there. The activation stays, so that a paying customer can keep working until grace ends.
 *
 * A record that names no service may belong to this one, because a gateway can be in front of it. So the service is asked.
 *
 * @param service name of the service in use; `undefined` for the commerce service and for a gateway, which can be in front
 * of any service with such IDs.
 */
export function withService(vault: Vault, service: string | undefined, ids: IdForm = 'any'): Vault {
  const { service: before, activation, ...rest } = vault
  if (service === undefined) {
    if (ids === 'uuid') return before === undefined ? vault : withUuids(vault, before)
    return { ...rest, activation: activation && withoutMark(confirmed(activation)) }
  }
  if (before === undefined) {
    return { ...vault, service, activation: activation && fromUnnamed(activation, service) }
  }
  if (!isMoved(vault, service)) return { ...vault, service }
  return {
    ...rest,
    service,
    activation: activation && fromNamed(activation, before, service),
    pending: null,
    outbox: [],
  }
}

/** Whether the record was written by an app that used another service. */
export function isMoved(vault: Vault, service: string | undefined, ids: IdForm = 'any'): boolean {
  const { service: before } = vault
  if (before === undefined) return false
  return service === undefined ? ids === 'uuid' && !holdsUuidsOnly(vault) : before !== service
}

/** Whether every ID in a record is a UUID. */
function holdsUuidsOnly({ activation, pending, offlineRequest, outbox }: Vault): boolean {
  return [activation, pending, offlineRequest ?? null, ...outbox].every(
    (part) => part === null || hasUuids(part),
  )
}

/** Whether both IDs are UUIDs, or the only one is. */
function hasUuids({
  licenseId,
  keyId,
}: {
  readonly licenseId: string
  readonly keyId?: string | null
}): boolean {
  return isUuid(licenseId) && (keyId == null || isUuid(keyId))
}

/** Returns the vault for a service without a name that takes only UUIDs. It can't know anything else. */
function withUuids({ service: _, ...vault }: Vault, before: string): Vault {
  const { activation, pending, outbox } = vault
  return {
    ...vault,
    activation: activation && toUuids(activation, before),
    pending: pending !== null && hasUuids(pending) ? pending : null,
    outbox: outbox.filter(hasUuids),
  }
}

function toUuids(activation: ActivationRecord, before: string): ActivationRecord {
  const service = ownerOf(activation, before)
  if (!hasUuids(activation)) return { ...activation, service }
  // A gateway can be in front of the service that the record names. What that service has ended needs no confirmation.
  const known = withoutMark(confirmed(activation))
  const isKnown = service === unnamed || activation.verdict === 'revoked'
  return isKnown ? known : { ...known, isUnconfirmed: true }
}

/** Returns an activation from a record that named another service. */
function fromNamed(activation: ActivationRecord, before: string, service: string): ActivationRecord {
  const of = ownerOf(activation, before)
  return of === service ? withoutMark(activation) : { ...activation, service: of }
}

/** Returns an activation from a record that named no service. */
function fromUnnamed(activation: ActivationRecord, service: string): ActivationRecord {
  const { service: of = unnamed } = activation
  if (of === service) return withoutMark(activation)
  return of === unnamed ? { ...activation, isUnconfirmed: true } : activation
}

/** The service that an activation belongs to, by a record that named this one. */
function ownerOf({ service, isUnconfirmed }: ActivationRecord, before: string): string {
  return service ?? (isUnconfirmed ? unnamed : before)
}

/** Returns an activation that the service in use knows. */
export function confirmed({ isUnconfirmed: _, ...activation }: ActivationRecord): ActivationRecord {
  return activation.service === unnamed ? withoutMark(activation) : activation
}

/**
 * Whether the service in use has to be asked about an activation. If the record didn't name its service, this one may
 * know it after all, for example once a wrong setting of the app is corrected.
 */
export function mayBeOurs(activation: ActivationRecord): boolean {
  return !isOfOtherService(activation) || activation.service === unnamed
}

/** Returns an unconfirmed activation that is proven to be unknown to the service in use. Grace continues. */
export function leftWithOther(activation: ActivationRecord): ActivationRecord {
  return { ...confirmed(activation), service: unnamed, unknown: undefined }
}

function withoutMark({ service: _, ...activation }: ActivationRecord): ActivationRecord {
  return activation
}
