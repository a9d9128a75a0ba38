/**
 * The commerce service's wire objects, with fields in the document's order.
 *
 * Deliberately separate from the client's own types, so that a mistake in one of the two is found.
 */

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

/** A product embedded in a discount. */
export interface Product {
  id: string
  store_id: string
  name: string
  description: string
  slug: string
  published: boolean
  display_on_storefront: boolean
  type: string
  email_receipt_button_text: string | null
  email_receipt_button_link: string | null
  email_receipt_message: string | null
  archived: boolean
  created_at: Timestamp
  updated_at: Timestamp
}

/** Special pricing on products. */
export interface Discount {
  id: string
  store_id: string
  name: string
  code: string
  published: boolean
  type: 'PERCENTAGE' | 'FIXED'
  amount: number
  starts_at: string | null
  ends_at: string | null
  max_redemptions: number | null
  duration: 'ONCE' | 'REPEATING' | 'FOREVER'
  duration_in_months: number | null
  total_formatted: string
  status: string
  products: Product[]
  created_at: string
  updated_at: string
}

/** One item of the customer list. */
export interface Customer {
  id: string
  name: string
  email: string
}

/** One entry of `meta.links`. */
export interface PageLink {
  url: string | null
  label: string
  active: boolean
}

/** The pagination envelope. */
export interface Page<Item> {
  data: Item[]
  links: { first: string; last: string; prev: string | null; next: string | null }
  meta: {
    current_page: number
    from: number | null
    to: number | null
    last_page: number
    per_page: number
    total: number
    path: string
    links: PageLink[]
  }
}
