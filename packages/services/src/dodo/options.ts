import { checkBaseUrl, checkOption, checkRest, checkSecret, checkSwitch } from '../http/check-options.ts'

/** Options for {@link dodo}. */
export interface DodoOptions {
  /**
   * The product ID, `pdt_…`, or several: in the dashboard under Products. License keys of other products are refused.
   * Dodo Payments itself accepts a license key of any vendor, so this check is necessary.
   */
  productId: string | readonly string[]
  /** Uses Dodo Payments' test mode. @default false */
  testMode?: boolean | undefined
  /**
   * The API key: in the dashboard under Developer, API keys. Needed for `listActivations` and for the seats and end in
   * `showLicense`. It is secret: use it only in a gateway or support tool, never in an app.
   */
  apiKey?: string | undefined
  /**
   * Base URL of the requests without `/v1`, for tests with the emulator. https:, or http: to this machine.
   * @default 'https://live.dodopayments.com', or 'https://test.dodopayments.com' in test mode
   */
  baseUrl?: string | undefined
  /** URL of the page where customers see their license keys. */
  customerPortal?: string | undefined
}

export interface DodoSettings {
  readonly productIds: readonly string[]
  readonly isTest: boolean
  readonly apiKey: string | undefined
  readonly baseUrl: string
  readonly customerPortal: string | null
}

/** @throws {TypeError} if an option is invalid. The message names the option but never shows its value. */
export function readOptions(options: DodoOptions): DodoSettings {
  // Plain JavaScript may pass nothing.
  const given: Partial<DodoOptions> = options ?? {}
  const { productId, testMode, apiKey, baseUrl, customerPortal, ...rest } = given
  checkRest('dodo', rest, { productId, testMode, apiKey, baseUrl, customerPortal })
  const isTest = checkSwitch('dodo', 'testMode', testMode)
  const products: readonly unknown[] =
    Array.isArray(productId) && productId.length > 0 ? productId : [productId]
  const where = "your product's ID, such as pdt_0NVz1J3QmL2, or a list of them"
  return {
    productIds: products.map((id) => checkOption('dodo', 'productId', id, /^\w{4,80}$/u, where)),
    isTest,
    apiKey: checkSecret('dodo', 'apiKey', apiKey),
    baseUrl: checkBaseUrl('dodo', baseUrl ?? `https://${isTest ? 'test' : 'live'}.dodopayments.com`),
    customerPortal: customerPortal ?? null,
  }
}
