import type { ActivationRecord, Vault } from '../vault.ts'

/** Whether an activation belongs to another service than the one the app uses. */
export function isOfOtherService({ service }: ActivationRecord): boolean {
  return service !== undefined
}

/** Stands for a service that the record didn't name: the commerce service, or one behind a gateway. */
const unnamed = 'unnamed'

/**
 * Returns the vault as an app that uses this service has to see it. The new service knows nothing of the old one's seats, so
 * nothing is pending there. The activation stays, so that a paying customer can keep working until grace ends.
 *
 * A record that names no service may belong to this one, because a gateway can be in front of it. So the service is asked.
 *
 * @param service name of the service in use; `undefined` for one that may know every license key, such as a gateway.
 */
export function withService(vault: Vault, service: string | undefined): Vault {
  const { service: before, activation, ...rest } = vault
  if (service === undefined) return { ...rest, activation: activation && withoutMark(confirmed(activation)) }
  if (before === undefined) {
    return { ...vault, service, activation: activation && { ...activation, isUnconfirmed: true } }
  }
  if (!isMoved(vault, service)) return { ...vault, service }
  const of = activation?.service ?? (activation?.isUnconfirmed ? unnamed : before)
  const kept = activation && (of === service ? withoutMark(activation) : { ...activation, service: of })
  return { ...rest, service, activation: kept, pending: null, outbox: [] }
}

/** Whether the record was written by an app that used another service. */
export function isMoved({ service: before }: Vault, service: string | undefined): boolean {
  return before !== undefined && service !== undefined && before !== service
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
