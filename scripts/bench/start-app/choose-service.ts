import type { LicensingOptions } from '@latchkey/electron/main'

/** The service that the bench chose. Only the chosen adapter is loaded. */
export async function chooseService(): Promise<LicensingOptions['service']> {
  const baseUrl = process.env['BENCH_SERVICE_URL'] ?? ''
  const accessToken = process.env['BENCH_SERVICE_TOKEN'] ?? ''
  const settings: Record<string, string> = JSON.parse(process.env['BENCH_SERVICE_SETTINGS'] ?? '{}')
  const { organizationId = '', benefitId, storeId = '', productId = '' } = settings
  const { account, product = '', publicKey } = settings
  switch (process.env['BENCH_SERVICE']) {
    case 'dodo':
      return (await import('@latchkey/services/dodo')).dodo({ baseUrl, productId })
    case 'keygen':
      return (await import('@latchkey/services/keygen')).keygen({ baseUrl, account, product, publicKey })
    case 'lemon-squeezy':
      return (await import('@latchkey/services/lemon-squeezy')).lemonSqueezy({ baseUrl, storeId, productId })
    case 'polar':
      return (await import('@latchkey/services/polar')).polar({ baseUrl, organizationId, benefitId })
    default:
      return { baseUrl, ...(accessToken !== '' && { accessToken }) }
  }
}
