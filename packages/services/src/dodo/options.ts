import { checkBaseUrl, checkOption, checkSecret } from '../http/check-options.ts'

/** How to reach a business at Dodo Payments. */
export interface DodoOptions {
  /**
   * Products, the product's ID: `pdt_…`. A list takes license keys of each of them. Dodo Payments itself accepts a
   * license key of any vendor, so this is what keeps foreign ones out.
   */
  productId: string | readonly string[]
  /** Uses the test mode. @default false */
  testMode?: boolean | undefined
  /**
   * Developer, API keys: lets `listActivations` and `showLicense` tell seats and the end. A vendor's secret: for a
   * gateway or a support tool, never for an app.
   */
  apiKey?: string | undefined
  /** @default 'https://live.dodopayments.com', and 'https://test.dodopayments.com' for the test mode */
  baseUrl?: string | undefined
  /** Where customers see their license keys. */
  customerPortal?: string | undefined
}

export interface DodoSettings {
  readonly productIds: readonly string[]
  readonly isTest: boolean
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly customerPortal: string | null
}

/** @throws {TypeError} naming the option, never showing its value. */
export function readOptions(options: DodoOptions): DodoSettings {
  const { productId, testMode = false, baseUrl } = options
  const products: readonly unknown[] = Array.isArray(productId) ? productId : [productId]
  const where = "your product's ID, such as pdt_0NVz1J3QmL2, or a list of them"
  return {
    productIds: products.map((id) => checkOption('dodo', 'productId', id, /^\w{4,80}$/u, where)),
    isTest: testMode,
    apiKey: checkSecret('dodo', 'apiKey', options.apiKey),
    baseUrl: checkBaseUrl('dodo', baseUrl ?? `https://${testMode ? 'test' : 'live'}.dodopayments.com`),
    customerPortal: options.customerPortal ?? null,
  }
}
