import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'

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
