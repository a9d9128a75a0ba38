import { checkBaseUrl, checkOption, checkRest, checkSecret, checkSwitch } from '../http/check-options.ts'

/** Options for {@link lemonSqueezy}. */
export interface LemonSqueezyOptions {
  /** The store ID: in the dashboard under Settings, Stores, the number after the `#`. */
  storeId: number | string
  /**
   * The product ID, or several: in the dashboard under Products, "Copy ID" in the product's menu. License keys of other
   * products are refused. Lemon Squeezy itself accepts a license key of any store, so this check is necessary.
   */
  productId: number | string | readonly (number | string)[]
  /**
   * The API key: in the dashboard under Settings, API. Needed for `listActivations`. It is secret: use it only in a
   * gateway or support tool, never in an app.
   */
  apiKey?: string | undefined
  /**
   * Whether a packaged app or a gateway accepts license keys of test mode. Set it only while you try your app out.
   * @default false
   */
  testMode?: boolean | undefined
  /**
   * Base URL of the requests without `/v1`, for tests with the emulator. https:, or http: to this machine.
   * @default 'https://api.lemonsqueezy.com'
   */
  baseUrl?: string | undefined
  /**
   * URL of the page where customers manage their devices.
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

/** @throws {TypeError} if an option is invalid. The message names the option but never shows its value. */
export function readOptions(options: LemonSqueezyOptions): LemonSqueezySettings {
  // Plain JavaScript may pass nothing.
  const given: Partial<LemonSqueezyOptions> = options ?? {}
  const { storeId, productId, apiKey, testMode, baseUrl, customerPortal, ...rest } = given
  checkRest('lemonSqueezy', rest, { storeId, productId, apiKey, testMode, baseUrl, customerPortal })
  const number = (name: string, value: unknown, where: string): string =>
    checkOption('lemonSqueezy', name, String(value), /^\d{1,15}$/u, where)
  const products: readonly unknown[] =
    Array.isArray(productId) && productId.length > 0 ? productId : [productId]
  return {
    storeId: number('storeId', storeId, 'the number of your store (Settings, Stores)'),
    productIds: products.map((id) =>
      number('productId', id, 'the number of your product (Products, Copy ID), or a list of them'),
    ),
    apiKey: checkSecret('lemonSqueezy', 'apiKey', apiKey),
    testMode: checkSwitch('lemonSqueezy', 'testMode', testMode),
    baseUrl: checkBaseUrl('lemonSqueezy', baseUrl ?? 'https://api.lemonsqueezy.com'),
    customerPortal: customerPortal ?? 'https://app.lemonsqueezy.com/my-orders',
  }
}
