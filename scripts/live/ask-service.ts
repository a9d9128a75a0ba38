import { setTimeout as delay } from 'node:timers/promises'
import type { LicenseService, Outcome } from '@latchkey/services'

/** One call to a service, and whether the answer was the expected one. */
interface LiveStep {
  readonly name: string
  readonly isExpected: boolean
  /** The answer, without license keys and IDs. */
  readonly came: string
}

const fingerprint = '00000000feedf00d'
const device = { deviceName: 'Latchkey live test', fingerprint } as const

/**
 * Calls the endpoints of a service that its adapter relies on, with a license key that has a free seat. Frees the seat
 * at the end.
 *
 * @param pauseMs time between two calls, because some services block an address that sends too many.
 */
export async function askService(
  service: LicenseService,
  licenseKey: string,
  pauseMs: number,
): Promise<readonly LiveStep[]> {
  const steps: LiveStep[] = []
  const note = async (
    name: string,
    expected: string,
    call: () => Promise<Outcome<unknown>>,
  ): Promise<Outcome<unknown>> => {
    if (steps.length > 0) await delay(pauseMs)
    const outcome = await call()
    const came = describe(outcome)
    steps.push({ name, isExpected: came.startsWith(expected), came })
    return outcome
  }

  const found = service.findLicenseKey(`Your key: ${licenseKey}\n`)
  const isFound = found.ok && found.licenseKey === licenseKey
  steps.push({
    name: 'find the license key in a text',
    isExpected: isFound,
    came: found.ok ? 'found' : found.code,
  })

  const { showLicense, listActivations } = service
  if (showLicense) await note('look at the license', 'answer', () => showLicense({ licenseKey }))
  const activated = await service.activate({ licenseKey, ...device })
  steps.push({ name: 'activate', isExpected: activated.kind === 'answer', came: describe(activated) })
  if (activated.kind !== 'answer') return steps

  const activationId = activated.value.activation.id
  const request = { licenseKey, activationId, fingerprint }
  try {
    await note('validate', 'answer', () => service.validate(request))
    if (listActivations) {
      const list = await note('list', 'answer', () => listActivations({ licenseKey }))
      const isListed = list.kind === 'answer' && JSON.stringify(list.value).includes(activationId)
      steps.push({ name: 'the list has the activation', isExpected: isListed, came: String(isListed) })
    }
    if (showLicense) await note('look at the license again', 'answer', () => showLicense({ licenseKey }))
  } finally {
    await note('deactivate', 'answer', () => service.deactivate(request))
  }
  await note('validate what is gone', 'refusal unknown-activation', () => service.validate(request))
  await note('deactivate what is gone', 'refusal unknown-activation', () => service.deactivate(request))
  const unknownKey = licenseKey.replace(/[\dA-Fa-f]/gu, '7')
  await note('activate an unknown key', 'refusal unknown-license', () =>
    service.activate({ licenseKey: unknownKey, ...device }),
  )
  return steps
}

/** Describes an outcome in a line that is safe to show. */
function describe(outcome: Outcome<unknown>): string {
  switch (outcome.kind) {
    case 'answer':
      return `answer ${JSON.stringify(outcome.value, masked)}`
    case 'refusal':
      return `refusal ${outcome.reason} (status ${outcome.httpStatus})`
    case 'unavailable':
      return `unavailable ${outcome.cause} (status ${outcome.httpStatus}, ${outcome.detail ?? 'no detail'})`
  }
}

/** Removes IDs from the output. */
function masked(name: string, value: unknown): unknown {
  return name === 'id' && typeof value === 'string' ? '…' : value
}
