// Licenses and keys as this service has them: the client also accepts answers that lack some of these fields.

/** Text in the form `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export type Timestamp = string

/** One activation of a license, for example one device. */
export interface LicenseKey {
  id: string
  /** The name that the device gave when it activated. */
  name: string
  created_at: Timestamp
  updated_at: Timestamp
}

/** A license that a customer bought, in the commerce service's form, where its `id` is the text a user pastes. */
export interface License {
  id: string
  /** Number of seats. */
  activation_limit: number
  /** End of the license. The document doesn't mention `null`, but services send it for a license without an end. */
  expires_at: Timestamp | null
  /** When it was suspended; `null` if it isn't. */
  suspended_at: Timestamp | null
  /** `ACTIVE`, or any other text for a license that can't be used. */
  status: string
  /** Number of keys. */
  activation_usage: number
  /** `<activation_usage>/<activation_limit>` */
  activation_usage_formatted: string
  created_at: Timestamp
  updated_at: Timestamp
}
