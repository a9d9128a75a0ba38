/** The types of values, as the interface document names them. */
export type FieldType =
  | 'uuid'
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'timestamp'
  | 'array of Product'
  | 'array of objects'
  | 'object'

/** The objects of the interface. */
export type Resource =
  | 'LicenseKey'
  | 'License'
  | 'Discount'
  | 'Product'
  | 'Customer'
  | 'page'
  | 'page.links'
  | 'page.meta'
  | 'page.meta.links'

/** One line of one table of the document. */
export interface FieldRow {
  resource: Resource
  field: string
  type: FieldType
  nullable: boolean
  /** The possible values, if the document lists all of them. */
  values?: readonly string[]
}

function rows(resource: Resource, fields: Record<string, FieldType | `${FieldType} or null`>): FieldRow[] {
  return Object.entries(fields).map(([field, shown]) => {
    const nullable = shown.endsWith(' or null')
    return { resource, field, type: typeNamed(shown.replace(' or null', '')), nullable }
  })
}

const types: readonly FieldType[] = [
  'uuid',
  'string',
  'boolean',
  'integer',
  'number',
  'timestamp',
  'array of Product',
  'array of objects',
  'object',
]

function typeNamed(name: string): FieldType {
  const type = types.find((candidate) => candidate === name)
  if (!type) throw new Error(`There is no type ${name}.`)
  return type
}

/** Every field table of the document, in order. */
export const fieldRows: readonly FieldRow[] = [
  ...rows('LicenseKey', { id: 'uuid', name: 'string', created_at: 'timestamp', updated_at: 'timestamp' }),
  ...rows('License', {
    id: 'uuid',
    activation_limit: 'integer',
    expires_at: 'timestamp',
    suspended_at: 'timestamp or null',
    status: 'string',
    activation_usage: 'integer',
    activation_usage_formatted: 'string',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  }),
  ...rows('Discount', {
    id: 'uuid',
    store_id: 'uuid',
    name: 'string',
    code: 'string',
    published: 'boolean',
    type: 'string',
    amount: 'number',
    starts_at: 'string or null',
    ends_at: 'string or null',
    max_redemptions: 'number or null',
    duration: 'string',
    duration_in_months: 'number or null',
    total_formatted: 'string',
    status: 'string',
    products: 'array of Product',
    created_at: 'string',
    updated_at: 'string',
  }).map((row) => ({ ...row, ...valuesOf(row.field) })),
  ...rows('Product', {
    id: 'uuid',
    store_id: 'uuid',
    name: 'string',
    description: 'string',
    slug: 'string',
    published: 'boolean',
    display_on_storefront: 'boolean',
    type: 'string',
    email_receipt_button_text: 'string or null',
    email_receipt_button_link: 'string or null',
    email_receipt_message: 'string or null',
    archived: 'boolean',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  }),
  ...rows('Customer', { id: 'uuid', name: 'string', email: 'string' }),
  ...rows('page', { data: 'array of objects', links: 'object', meta: 'object' }),
  ...rows('page.links', {
    first: 'string',
    last: 'string',
    prev: 'string or null',
    next: 'string or null',
  }),
  ...rows('page.meta', {
    current_page: 'integer',
    from: 'integer',
    to: 'integer',
    last_page: 'integer',
    per_page: 'integer',
    total: 'integer',
    path: 'string',
    links: 'array of objects',
  }),
  ...rows('page.meta.links', { url: 'string or null', label: 'string', active: 'boolean' }),
]

function valuesOf(field: string): Pick<FieldRow, 'values'> {
  if (field === 'type') return { values: ['PERCENTAGE', 'FIXED'] }
  if (field === 'duration') return { values: ['ONCE', 'REPEATING', 'FOREVER'] }
  return {}
}

/** Whether a value other than null has a type. */
export function isOfType(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'uuid':
      return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    case 'timestamp':
      return (
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) &&
        !Number.isNaN(Date.parse(value))
      )
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'array of Product':
    case 'array of objects':
      return Array.isArray(value) && value.every((item: unknown) => typeof item === 'object' && item !== null)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}
