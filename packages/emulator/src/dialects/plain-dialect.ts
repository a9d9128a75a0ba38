import { defaultDialect } from './default-dialect.ts'
import type { Dialect } from './dialect.ts'

/** A minimal service: almost only 200 or 400, refusals in plain text, and unusual requests accepted. */
export const plainDialect: Dialect = {
  ...defaultDialect,
  name: 'plain',
  refusalStatus: {
    'token-missing': 403,
    'token-wrong': 403,
    'content-type': 400,
    accept: 400,
    'body-too-large': 400,
    'malformed-body': 400,
    'invalid-field': 400,
    'invalid-page': 400,
    'unknown-license': 400,
    'unknown-key': 400,
    'removed-key': 400,
    'limit-reached': 400,
    'license-suspended': 400,
    'license-expired': 400,
    'license-inactive': 400,
    'unknown-path': 404,
    method: 404,
  },
  refusalBody: 'text',
  validation: { invalidKeyStatus: null, unusableLicense: 'refuse' },
  activation: { acceptedStatuses: null },
  deactivation: { removedKey: 'answer' },
  requiresContentType: false,
  paging: { invalidPage: 'nearest', beyondLast: 'nearest', emptyRange: 0 },
  discounts: {
    windowFormat: 'date',
    fixedAmountUnit: 'major',
    statuses: ['Active', 'Inactive'],
    productTypes: ['EBOOK', 'SOFTWARE'],
  },
}
