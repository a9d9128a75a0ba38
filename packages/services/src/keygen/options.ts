import { checkBaseUrl, checkOption, checkRest, checkSecret, checkSwitch } from '../http/check-options.ts'

/** Options for {@link keygen}. */
export interface KeygenOptions {
  /** The account ID (in the dashboard under Settings) or slug. Leave it out for a self-hosted singleplayer server. */
  account?: string | undefined
  /** The product ID, a UUID: in the dashboard under Products. License keys of other products are refused. */
  product: string
  /**
   * The "Ed25519 128-bit Verify Key", 64 hex digits: in the dashboard under Settings. If it is set, the signature,
   * digest, and date of each response are verified, and a stored response proves offline that the device was entitled.
   */
  publicKey?: string | undefined
  /** Host name of a self-hosted server. @default 'api.keygen.sh' */
  host?: string | undefined
  /** Base URL of a self-hosted server without `/v1`, instead of `host`. @default `https://<host>` */
  baseUrl?: string | undefined
  /**
   * A product token that authorizes requests instead of the license key. It is secret: use it only in a gateway or
   * support tool, never in an app.
   */
  token?: string | undefined
  /**
   * Whether a license's features are its entitlements: their codes, at most 100. This takes one more request at each
   * activation and check.
   * @default false: the features are the list `features` in the license's metadata
   */
  entitlements?: boolean | undefined
  /** URL of the page where customers manage their devices. */
  customerPortal?: string | undefined
}

export interface KeygenSettings {
  readonly api: string
  readonly product: string
  readonly publicKey: string | undefined
  readonly token: string | undefined
  readonly entitlements: boolean | undefined
  readonly customerPortal: string | null
}

/** @throws {TypeError} if an option is invalid. The message names the option but never shows its value. */
export function readOptions(options: KeygenOptions): KeygenSettings {
  // Plain JavaScript may pass nothing.
  const given: Partial<KeygenOptions> = options ?? {}
  const { account, product, publicKey, host, baseUrl, token, entitlements, customerPortal, ...rest } = given
  checkRest('keygen', rest, {
    account,
    product,
    publicKey,
    host,
    baseUrl,
    token,
    entitlements,
    customerPortal,
  })
  if (account === undefined && host === undefined && baseUrl === undefined) {
    throw new TypeError('keygen: account is missing (Settings), or host')
  }
  // `https://https://…` would be a URL, too.
  if (host?.includes('://')) throw new TypeError('keygen: host must be a host name, without https://')
  const base = checkBaseUrl('keygen', baseUrl ?? `https://${host ?? 'api.keygen.sh'}`)
  const check = (name: string, value: unknown, form: RegExp, where: string): string =>
    checkOption('keygen', name, value, form, where)
  return {
    api:
      account === undefined
        ? `${base}/v1`
        : `${base}/v1/accounts/${check('account', account, /^[\w-]{2,80}$/u, 'the account ID in Settings')}`,
    product: check('product', product, /^[\w-]{2,80}$/u, "the product's ID"),
    publicKey:
      publicKey === undefined
        ? undefined
        : check('publicKey', publicKey, /^[\da-f]{64}$/iu, 'the verify key in Settings, 64 hex digits'),
    token: checkSecret('keygen', 'token', token),
    entitlements: checkSwitch('keygen', 'entitlements', entitlements),
    customerPortal: customerPortal ?? null,
  }
}
