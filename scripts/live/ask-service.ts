import { setTimeout as delay } from 'node:timers/promises'
import type { LicenseService, Outcome } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
/** One call to a service, and whether the answer was the expected one. */
export interface LiveStep {
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

/** Reads one environment variable. */
export type ReadVariable = (name: string) => string | undefined

/** A service that can be called live. */
export interface LiveServiceSetup {
  /** Required variables. */
  readonly needed: readonly string[]
  /** Optional variables. */
  readonly optional: readonly string[]
  readonly licenseKeyVariable: string
  /** Time between two calls. */
  readonly pauseMs: number
  make(read: ReadVariable): LicenseService
}

/** How to reach each service with sandbox credentials from the environment. */
export const liveServices: Readonly<Record<string, LiveServiceSetup>> = {
  polar: {
    needed: ['POLAR_ORGANIZATION_ID', 'POLAR_LICENSE_KEY'],
    optional: ['POLAR_BENEFIT_ID', 'POLAR_SANDBOX=1', 'POLAR_ACCESS_TOKEN', 'POLAR_BASE_URL'],
    licenseKeyVariable: 'POLAR_LICENSE_KEY',
    pauseMs: 1500,
    make: (read) =>
      polar({
        organizationId: read('POLAR_ORGANIZATION_ID') ?? '',
        benefitId: read('POLAR_BENEFIT_ID'),
        sandbox: read('POLAR_SANDBOX') === '1',
        accessToken: read('POLAR_ACCESS_TOKEN'),
        baseUrl: read('POLAR_BASE_URL'),
      }),
  },
  'lemon-squeezy': {
    needed: ['LEMON_SQUEEZY_STORE_ID', 'LEMON_SQUEEZY_PRODUCT_ID', 'LEMON_SQUEEZY_LICENSE_KEY'],
    optional: ['LEMON_SQUEEZY_API_KEY', 'LEMON_SQUEEZY_BASE_URL'],
    licenseKeyVariable: 'LEMON_SQUEEZY_LICENSE_KEY',
    pauseMs: 2500,
    make: (read) =>
      lemonSqueezy({
        storeId: read('LEMON_SQUEEZY_STORE_ID') ?? '',
        productId: read('LEMON_SQUEEZY_PRODUCT_ID') ?? '',
        apiKey: read('LEMON_SQUEEZY_API_KEY'),
        baseUrl: read('LEMON_SQUEEZY_BASE_URL'),
      }),
  },
  dodo: {
    needed: ['DODO_PRODUCT_ID', 'DODO_LICENSE_KEY'],
    optional: ['DODO_TEST_MODE=1', 'DODO_API_KEY', 'DODO_BASE_URL'],
    licenseKeyVariable: 'DODO_LICENSE_KEY',
    pauseMs: 1000,
    make: (read) =>
      dodo({
        productId: read('DODO_PRODUCT_ID') ?? '',
        testMode: read('DODO_TEST_MODE') === '1',
        apiKey: read('DODO_API_KEY'),
        baseUrl: read('DODO_BASE_URL'),
      }),
  },
  keygen: {
    needed: ['KEYGEN_ACCOUNT', 'KEYGEN_PRODUCT', 'KEYGEN_LICENSE_KEY'],
    optional: ['KEYGEN_PUBLIC_KEY', 'KEYGEN_TOKEN', 'KEYGEN_BASE_URL'],
    licenseKeyVariable: 'KEYGEN_LICENSE_KEY',
    pauseMs: 1000,
    make: (read) =>
      keygen({
        account: read('KEYGEN_ACCOUNT'),
        product: read('KEYGEN_PRODUCT') ?? '',
        publicKey: read('KEYGEN_PUBLIC_KEY'),
        token: read('KEYGEN_TOKEN'),
        baseUrl: read('KEYGEN_BASE_URL'),
      }),
  },
}
