import { checkBaseUrl, checkOption, checkSecret } from '../http/check-options.ts'

/** How to reach an account at Keygen, or one's own Keygen server. */
export interface KeygenOptions {
  /** Settings, "Account ID" (or the slug). Leave it out for a server of one's own that runs in singleplayer mode. */
  account?: string | undefined
  /** Products, the product's ID: a UUID. License keys of other products are refused. */
  product: string
  /**
   * Settings, "Ed25519 128-bit Verify Key": 64 hex digits. With it every answer's signature, digest and date are
   * verified, and a kept answer proves offline that the device was entitled.
   */
  publicKey?: string | undefined
  /** A server of one's own: its host name. @default 'api.keygen.sh' */
  host?: string | undefined
  /** The same as a whole URL. @default `https://<host>` */
  baseUrl?: string | undefined
  /**
   * A product token, used in place of the license key as the credential. A vendor's secret: for a gateway or a support
   * tool, never for an app.
   */
  token?: string | undefined
  /** Where customers see their devices. */
  customerPortal?: string | undefined
}

export interface KeygenSettings {
  readonly api: string
  readonly product: string
  readonly publicKey: string | undefined
  readonly token: string | undefined
  readonly customerPortal: string | null
}

/** @throws {TypeError} naming the option, never showing its value. */
export function readOptions(options: KeygenOptions): KeygenSettings {
  const { account, publicKey, host = 'api.keygen.sh', baseUrl } = options
  if (account === undefined && options.host === undefined && baseUrl === undefined) {
    throw new TypeError('keygen: account is missing (Settings, Account ID), or the host of your own server')
  }
  const base = checkBaseUrl('keygen', baseUrl ?? `https://${host}`)
  const check = (name: string, value: unknown, form: RegExp, where: string): string =>
    checkOption('keygen', name, value, form, where)
  return {
    api:
      account === undefined
        ? `${base}/v1`
        : `${base}/v1/accounts/${check('account', account, /^[\w-]{2,80}$/u, 'the account ID in Settings')}`,
    product: check('product', options.product, /^[\w-]{2,80}$/u, "the product's ID, a UUID"),
    publicKey:
      publicKey === undefined
        ? undefined
        : check(
            'publicKey',
            publicKey,
            /^[\da-f]{64}$/iu,
            'the Ed25519 verify key in Settings, 64 hex digits',
          ),
    token: checkSecret('keygen', 'token', options.token),
    customerPortal: options.customerPortal ?? null,
  }
}
