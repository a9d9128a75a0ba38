import type { Problem } from '../shared/problem.ts'

/** What matters to the screen of a problem. */
export type Trouble = Pick<Problem, 'code' | 'retryAt'>

/** Whether nothing but the way to the service is in question, so that trying again by itself makes sense. */
export function isConnectionTrouble({ code }: Trouble): boolean {
  switch (code) {
    case 'offline':
    case 'timeout':
    case 'service-error':
    case 'rate-limited':
    case 'unexpected-answer':
    case 'untrusted-answer':
    case 'unconfirmed':
    case 'activation-unconfirmed':
      return true
    default:
      return false
  }
}

/** Whether the record on disk is in question. */
export function isStorageTrouble({ code }: Trouble): boolean {
  return code.startsWith('store-') || code === 'disk-full' || code === 'record-of-another-device'
}

/** Whether only what was entered is in question: said at the field at once, and of no interest later. */
export function isEntryTrouble({ code }: Trouble): boolean {
  switch (code) {
    case 'empty-text':
    case 'no-license-key':
    case 'several-license-keys':
    case 'text-too-long':
    case 'license-not-found':
    case 'busy':
    case 'not-activated':
    case 'device-not-found':
      return true
    default:
      return false
  }
}
