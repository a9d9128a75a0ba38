import {
  arrayOf,
  boolean,
  integer,
  type JsonSchema,
  noted,
  nullable,
  number,
  objectOf,
  ref,
  string,
  timestamp,
  uuid,
} from './json-schema.ts'

/** The resources, with fields and notes in the interface's order. */
export const schemas: Record<string, JsonSchema> = {
  LicenseKey: objectOf(
    {
      id: noted(uuid, 'Unique identifier of the key.'),
      name: noted(string, 'Label of the key (for example a device label).'),
      created_at: noted(timestamp, 'When the key was created.'),
      updated_at: noted(timestamp, 'When the key was last updated.'),
    },
    'An identifier for one activation of a license, for example one device.',
  ),
  License: objectOf(
    {
      id: noted(uuid, 'License identifier.'),
      activation_limit: noted(integer, 'Maximum number of activations.'),
      expires_at: noted(timestamp, 'Expiry of the license.'),
      suspended_at: noted(nullable(timestamp), 'Null when not suspended.'),
      status: noted(string, 'Uppercase; ACTIVE is a known value. Other values: not shown.'),
      activation_usage: noted(integer, 'Number of activations in use.'),
      activation_usage_formatted: noted(string, 'Form "<activation_usage>/<activation_limit>".'),
      created_at: timestamp,
      updated_at: timestamp,
    },
    'Grants access to a product.',
  ),
  Product: objectOf({
    id: uuid,
    store_id: uuid,
    name: string,
    description: string,
    slug: string,
    published: boolean,
    display_on_storefront: boolean,
    type: noted(string, 'EBOOK is a known value; the full set of values: not shown.'),
    email_receipt_button_text: nullable(string),
    email_receipt_button_link: nullable(string),
    email_receipt_message: nullable(string),
    archived: boolean,
    created_at: timestamp,
    updated_at: timestamp,
  }),
  Discount: objectOf(
    {
      id: noted(uuid, 'Discount identifier.'),
      store_id: noted(uuid, 'Store the discount belongs to.'),
      name: noted(string, 'Name of the discount.'),
      code: noted(string, 'Code customers use to apply it.'),
      published: noted(boolean, 'Whether the discount is published.'),
      type: { type: 'string', enum: ['PERCENTAGE', 'FIXED'] },
      amount: noted(number, 'Amount of the discount. Unit of a FIXED amount: not shown.'),
      starts_at: noted(nullable(string), 'Start of the validity period. Exact format: not shown.'),
      ends_at: noted(nullable(string), 'End of the validity period. Exact format: not shown.'),
      max_redemptions: noted(nullable(number), 'Maximum number of redemptions; null when no maximum is set.'),
      duration: { type: 'string', enum: ['ONCE', 'REPEATING', 'FOREVER'] },
      duration_in_months: noted(
        nullable(number),
        'Number of months the discount is valid; used when duration is REPEATING, null otherwise.',
      ),
      total_formatted: noted(
        string,
        'Formatted amount; for a PERCENTAGE discount it is the amount followed by a percent sign.',
      ),
      status: noted(
        string,
        'Current status of the discount; the listed value is capitalised (Active). Full set of values: not shown.',
      ),
      products: arrayOf(ref('Product'), 'Products the discount applies to.'),
      created_at: noted(string, 'Creation time.'),
      updated_at: noted(string, 'Last update time.'),
    },
    'Special pricing on products.',
  ),
  Customer: objectOf({ id: uuid, name: string, email: string }, 'Further fields: not shown.'),
  PageLinks: objectOf(
    {
      first: string,
      last: string,
      prev: noted(nullable(string), 'Null on the first page.'),
      next: noted(nullable(string), 'Null on the last page.'),
    },
    'Navigation URLs.',
  ),
  PageMetaLink: objectOf({
    url: noted(nullable(string), 'Null when there is no such page.'),
    label: noted(string, '"Previous", "Next" or a page number.'),
    active: boolean,
  }),
  PageMeta: objectOf(
    {
      current_page: integer,
      from: noted(integer, 'Position of the first item on the page.'),
      to: noted(integer, 'Position of the last item on the page.'),
      last_page: noted(integer, 'Total number of pages.'),
      per_page: noted(integer, 'Items per page.'),
      total: noted(integer, 'Total number of items.'),
      path: noted(string, 'Address of the list without page parameter.'),
      links: arrayOf(ref('PageMetaLink')),
    },
    'Page metadata.',
  ),
  DiscountPage: pageOf('Discount'),
  CustomerPage: pageOf('Customer'),
  LicenseKeyList: objectOf({ data: arrayOf(ref('LicenseKey')) }, 'Whether the list is paginated: not shown.'),
  ShownLicenseKey: objectOf({ data: ref('LicenseKey') }),
  Activation: objectOf({
    license: ref('License'),
    key: noted(ref('LicenseKey'), 'The key created for the activation.'),
  }),
  Validation: objectOf({ license: ref('License'), key: ref('LicenseKey') }),
  Deactivation: objectOf({
    message: noted(string, 'States that the license key was deactivated successfully.'),
  }),
}

function pageOf(item: string): JsonSchema {
  return objectOf({
    data: arrayOf(ref(item), 'Items on the current page.'),
    links: ref('PageLinks'),
    meta: ref('PageMeta'),
  })
}
