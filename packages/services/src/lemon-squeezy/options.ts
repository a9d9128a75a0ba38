import { checkBaseUrl, checkOption, checkSecret } from '../http/check-options.ts'

/** How to reach a store at Lemon Squeezy. */
export interface LemonSqueezyOptions {
  /** Settings, Stores: the number after the `#`. */
  storeId: number | string
  /**
   * Products, the product's menu, "Copy ID". A list takes license keys of each of them. Any store's license key is
   * accepted by Lemon Squeezy itself, so this is what keeps foreign ones out.
   */
  productId: number | string | readonly (number | string)[]
  /**
   * Settings, API: lets `listActivations` work. A vendor's secret: for a gateway or a support tool, never for an app.
   */
  apiKey?: string | undefined
  /**
   * Whether a packaged app accepts license keys of test mode. Set it only while you try your app out.
   * @default false
   */
  testMode?: boolean | undefined
  /** @default 'https://api.lemonsqueezy.com' */
  baseUrl?: string | undefined
  /**
   * Where customers see their devices.
   * @default 'https://app.lemonsqueezy.com/my-orders'
   */
  customerPortal?: string | undefined
}

export interface LemonSqueezySettings {
  readonly storeId: string
  readonly productIds: readonly string[]
  readonly apiKey: string | undefined
  readonly testMode: boolean
  readonly baseUrl: string
  readonly customerPortal: string
}

/** @throws {TypeError} naming the option, never showing its value. */
export function readOptions(options: LemonSqueezyOptions): LemonSqueezySettings {
  const number = (name: string, value: unknown, where: string): string =>
    checkOption('lemonSqueezy', name, String(value), /^\d{1,15}$/u, where)
  const products = Array.isArray(options.productId) ? options.productId : [options.productId]
  return {
    storeId: number('storeId', options.storeId, 'the number of your store (Settings, Stores)'),
    productIds: products.map((id) =>
      number('productId', id, 'the number of your product (Products, Copy ID), or a list of them'),
    ),
    apiKey: checkSecret('lemonSqueezy', 'apiKey', options.apiKey),
    testMode: options.testMode === true,
    baseUrl: checkBaseUrl('lemonSqueezy', options.baseUrl ?? 'https://api.lemonsqueezy.com'),
    customerPortal: options.customerPortal ?? 'https://app.lemonsqueezy.com/my-orders',
  }
}
