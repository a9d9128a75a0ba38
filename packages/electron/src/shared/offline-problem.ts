import type { Problem } from './problem.ts'

/**
 * Every problem of the text that `activateOffline` gets: a stable code, and one sentence that explains what happened
 * and what to do. Loaded only by apps that activate without internet. The documentation's table is generated from it.
 */
export const offlineProblemMessages = {
  'no-offline-answer':
    'This isn’t an answer from the activation page. Choose the file that the page gave you, or copy all of its text.',
  'offline-answer-too-long':
    'This file is too large to be an answer from the activation page. Choose the file that the page gave you.',
  'offline-request-as-answer':
    'This is a request, not an answer. Open it on the activation page, and bring back the answer that the page gives you.',
  'online-lease-as-answer':
    'This was issued to a computer with internet. Create a request here, and bring back the answer to it.',
  'offline-answer-torn':
    'A part of the answer is missing. Copy all of its text, or choose the file that the activation page gave you.',
  'offline-answer-edited':
    'The answer was changed in transit. Open the request on the activation page again, and bring back the file unchanged.',
  'offline-answer-unknown-key':
    'This app doesn’t recognize the signature of the answer. Update the app, or contact support.',
  'offline-answer-newer': 'The answer is for a newer version of this app. Update the app.',
  'offline-answer-other-app':
    'This answer is for another app. Open this app’s own request on the activation page.',
  'offline-answer-other-device':
    'This answer is for another computer. Create a request here, and open it on the activation page.',
  'offline-answer-other-request':
    'This answer is for an earlier request. Create a new request here, and open it on the activation page.',
  'offline-answer-used':
    'This answer was already used on this computer. To renew the activation, create a new request.',
  'offline-answer-expired':
    'This answer has expired. Check the date of this computer, then create a new request.',
} as const

/**
 * A stable identifier of a problem with an answer; safe to switch on. The guide's page on problem codes explains each.
 */
export type OfflineProblemCode = keyof typeof offlineProblemMessages

/** A problem of an activation without internet: one with the answer, or any other {@link Problem}. */
export type OfflineProblem = Problem | (Omit<Problem, 'code'> & { readonly code: OfflineProblemCode })
