/** Options for {@link commerce}. */
export interface CommerceOptions {
  /** Base URL of the service or gateway, including the version segment: `https://commerce.example/v1`. */
  baseUrl: string
  /**
   * The service's access token, which can list all customers. Use it only in a gateway or support tool, never in an
   * app.
   */
  accessToken?: string | undefined
  /** Allows sending the access token over plain HTTP to another machine. @default false */
  allowInsecure?: boolean | undefined
  /**
   * Form of license keys and IDs. `any` is for a gateway in front of another service, which takes any text and gives a
   * reason for what it refuses.
   * @default 'uuid'
   */
  licenseKeys?: 'uuid' | 'any' | undefined
  /** Additional request headers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** URL of the page where customers manage their devices. */
  customerPortal?: string | undefined
}
