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
  /** URL of the page where customers manage their devices. */
  customerPortal?: string | undefined
}
