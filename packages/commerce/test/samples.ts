import type {
  CommerceClient,
  Customer,
  Discount,
  License,
  LicenseKey,
  Operation,
  Page,
  Product,
} from '../src/index.ts'

export const licenseId: string = '3f2c1b9a-0c1d-4e5f-8a9b-0123456789ab'
export const keyId: string = 'b7e6d5c4-1a2b-4c3d-9e8f-ba9876543210'
export const accessToken: string = '17|s3cr3t-t0k3n-of-the-tests'

export const key: LicenseKey = {
  id: keyId,
  name: 'Ada’s laptop [0123456789abcdef]',
  created_at: '2026-01-02T03:04:05.678901Z',
  updated_at: '2026-02-03T04:05:06.789012Z',
}

export const license: License = {
  id: licenseId,
  activation_limit: 3,
  expires_at: '2031-01-02T03:04:05.678901Z',
  suspended_at: null,
  status: 'ACTIVE',
  activation_usage: 1,
  activation_usage_formatted: '1/3',
  created_at: '2026-01-01T00:00:00.000001Z',
  updated_at: '2026-01-02T03:04:05.678901Z',
}

export const product: Product = {
  id: '5d0f7c52-93f3-4f5c-8d0e-6a7b8c9d0e1f',
  store_id: '9a8b7c6d-5e4f-4321-8fed-cba987654321',
  name: 'Field Notes',
  description: 'A book about notebooks',
  slug: 'field-notes',
  published: true,
  display_on_storefront: false,
  type: 'EBOOK',
  email_receipt_button_text: null,
  email_receipt_button_link: 'https://shop.example/read',
  email_receipt_message: null,
  archived: false,
  created_at: '2026-01-01T00:00:00.000001Z',
  updated_at: '2026-01-01T00:00:00.000001Z',
}

export const discount: Discount = {
  id: '0f1e2d3c-4b5a-4968-8776-655443322110',
  store_id: '9a8b7c6d-5e4f-4321-8fed-cba987654321',
  name: 'Spring',
  code: 'SPRING20',
  published: true,
  type: 'PERCENTAGE',
  amount: 20,
  starts_at: '2026-03-01T00:00:00.000000Z',
  ends_at: null,
  max_redemptions: 100,
  duration: 'REPEATING',
  duration_in_months: 6,
  total_formatted: '20%',
  status: 'Active',
  products: [product],
  created_at: '2026-01-01T00:00:00.000001Z',
  updated_at: '2026-01-01T00:00:00.000001Z',
}

/** The n-th customer of a list. */
export function customer(number: number): Customer {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name: `Customer ${number}`,
    email: `customer-${number}@shop.example`,
  }
}

/** One page of a list in the service's envelope. */
export function page<Item>(
  path: string,
  data: Item[],
  number: number,
  lastPage: number,
  total: number = data.length,
): Page<Item> {
  const url = (target: number): string | null =>
    target < 1 || target > lastPage ? null : `${path}?page=${target}`
  return {
    data,
    links: {
      first: `${path}?page=1`,
      last: `${path}?page=${lastPage}`,
      prev: url(number - 1),
      next: url(number + 1),
    },
    meta: {
      current_page: number,
      from: (number - 1) * 25 + 1,
      to: (number - 1) * 25 + data.length,
      last_page: lastPage,
      per_page: 25,
      total,
      path,
      links: [
        { url: url(number - 1), label: 'Previous', active: false },
        { url: url(number), label: String(number), active: true },
        { url: url(number + 1), label: 'Next', active: false },
      ],
    },
  }
}

/** Performs one operation with the ids above. */
export type Call = (commerce: CommerceClient) => Promise<unknown>

/** Every operation of the interface, by the name that errors have for it. */
export const calls: Readonly<Record<Operation, Call>> = {
  'licenses.keys': ({ licenses }) => licenses.keys(licenseId),
  'licenses.key': ({ licenses }) => licenses.key(licenseId, keyId),
  'licenses.activate': ({ licenses }) => licenses.activate(licenseId, { name: key.name }),
  'licenses.validate': ({ licenses }) => licenses.validate(licenseId, { key: keyId }),
  'licenses.deactivate': ({ licenses }) => licenses.deactivate(licenseId, { key: keyId }),
  'discounts.list': ({ discounts }) => discounts.list(),
  'customers.list': ({ customers }) => customers.list(),
}
