import type { DialectChanges } from '../src/index.ts'

/** Sets of choices to test a client with: the default; lenient, with plain text and 400; strict about headers and pages. */
export const dialects: Readonly<Record<'default' | 'plain' | 'strict', DialectChanges>> = {
  default: {},
  plain: {
    refusalStatus: {
      'token-missing': 403,
      'token-wrong': 403,
      'content-type': 400,
      accept: 400,
      'body-too-large': 400,
      'invalid-field': 400,
      'invalid-page': 400,
      'unknown-license': 400,
      'unknown-key': 400,
      'removed-key': 400,
      'limit-reached': 400,
      'license-suspended': 400,
      'license-expired': 400,
      'license-inactive': 400,
      method: 404,
    },
    refusalBody: 'text',
    validation: { unusableLicense: 'refuse' },
    activation: { acceptedStatuses: null },
    deactivation: { removedKey: 'answer' },
    requiresContentType: false,
    paging: { invalidPage: 'nearest', beyondLast: 'nearest' },
  },
  strict: {
    successStatus: { activate: 201, deactivate: 202 },
    refusalStatus: {
      'removed-key': 410,
      'limit-reached': 409,
      'license-suspended': 403,
      'license-expired': 403,
      'license-inactive': 403,
    },
    refusalBody: 'problem',
    keysPaging: { perPage: 25 },
    validation: { invalidKeyStatus: 422, unusableLicense: 'refuse' },
    shownStatus: { suspended: 'SUSPENDED', expired: 'EXPIRED' },
    requiresAccept: true,
    paging: { beyondLast: 'refuse' },
  },
}
