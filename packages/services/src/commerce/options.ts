/** How to reach the commerce service, or a gateway in front of it. */
export interface CommerceOptions {
  /** Address including the version segment, such as `https://commerce.example/v1`. */
  baseUrl: string
  /**
   * The service's access token, which can list every customer. A vendor's secret: for a gateway or a support tool,
   * never for an app.
   */
  accessToken?: string | undefined
  /** Sends the access token over plain http to another machine. @default false */
  allowInsecure?: boolean | undefined
  /** Where customers see their devices. */
  customerPortal?: string | undefined
}
