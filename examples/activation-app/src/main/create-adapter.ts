import type { LicenseService } from '@latchkey/services'
import { dodo } from '@latchkey/services/dodo'
import { keygen } from '@latchkey/services/keygen'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { polar } from '@latchkey/services/polar'
import { signedKeys } from '@latchkey/services/signed-keys'
import * as z from 'zod/mini'

const settingsSchema = z.record(z.string(), z.string())

/**
 * Creates a service's adapter from settings as JSON. Your own app would import the one adapter it uses and contain its
 * settings.
 */
export function createAdapter(name: string, baseUrl: string, settingsText: string): LicenseService {
  const settings = settingsSchema.parse(JSON.parse(settingsText))
  const { organizationId = '', benefitId, storeId = '', productId = '' } = settings
  const { account, product = '', publicKey, publicKeys = '' } = settings
  switch (name) {
    case 'dodo':
      return dodo({ baseUrl, productId })
    case 'keygen':
      return keygen({ baseUrl, account, product, publicKey })
    case 'lemon-squeezy':
      return lemonSqueezy({ baseUrl, storeId, productId })
    case 'polar':
      return polar({ baseUrl, organizationId, benefitId })
    case 'signed-keys':
      return signedKeys({ publicKeys: publicKeys.split(' '), product })
    default:
      throw new Error(
        `LATCHKEY_SERVICE must be dodo, keygen, lemon-squeezy, polar or signed-keys, not ${name}`,
      )
  }
}
