import { defaultDialect } from './default-dialect.ts'
import type { Dialect } from './dialect.ts'

/**
 * A service that follows HTTP strictly: 201, 403, 409, 410, RFC 9457 problems, paged keys, unusable licenses refused.
 */
export const strictDialect: Dialect = {
  ...defaultDialect,
  name: 'strict',
  successStatus: { ...defaultDialect.successStatus, activate: 201, deactivate: 202 },
  refusalStatus: {
    ...defaultDialect.refusalStatus,
    'removed-key': 410,
    'limit-reached': 409,
    'license-suspended': 403,
    'license-expired': 403,
    'license-inactive': 403,
  },
  refusalBody: 'problem',
  keysPaging: { perPage: 25 },
  validation: { invalidKeyStatus: 422, unusableLicense: 'refuse' },
  activation: { acceptedStatuses: ['ACTIVE', 'INACTIVE'] },
  shownStatus: { suspended: 'SUSPENDED', expired: 'EXPIRED' },
  requiresAccept: true,
  paging: { invalidPage: 'refuse', beyondLast: 'refuse', emptyRange: null },
  discounts: {
    windowFormat: 'date-time',
    fixedAmountUnit: 'minor',
    statuses: ['Active', 'Scheduled', 'Expired'],
    productTypes: ['EBOOK', 'COURSE', 'LICENSE'],
  },
}
