/**
 * Every trouble Latchkey can report: a stable code, and one sentence that says what happened and what to do.
 * This map is the only source of codes; the documentation's table is made from it.
 */
export const problemMessages = {
  // What was pasted
  'empty-text': 'Nothing was entered. Paste the license key from your purchase e-mail.',
  'no-license-key':
    'There is no license key in this text. Copy the key from your purchase e-mail and paste it again.',
  'several-license-keys': 'This text contains more than one license key. Paste only the one you want to use.',
  'text-too-long': 'This text is too long to be a license key. Paste only the key.',

  // Why an activation was refused
  'license-not-found': 'This license key is not known. Check that you copied all of it.',
  'license-expired': 'This license has expired. Renew it to go on using the app.',
  'license-suspended': 'This license is suspended. Contact support to have it looked at.',
  'license-inactive': 'This license is not active. Contact support to have it looked at.',
  'no-seat-left':
    'This license is in use on as many devices as it allows. Release one of them to use it here.',
  'activation-refused': 'The license service refused the activation. Try again, or contact support.',
  'activation-unconfirmed':
    'The connection broke before the activation was confirmed. It will be completed at the next connection.',

  // This device's key
  'moved-to-another-device':
    'This device was released from the license, probably to use it on another one. Activate again to use it here.',
  unconfirmed: 'The license service gave an unclear answer about this device. It will be asked again.',
  'adoption-unavailable':
    'The license service did not list the devices of this license, so an earlier activation of this device could not be reused.',
  'device-not-found': 'This device is no longer on the license. Refresh the list.',
  'deactivation-pending':
    'This device is signed out. Its seat will be freed as soon as the license service can be reached.',

  // The service cannot be reached, or does not speak as expected
  offline: 'The license service cannot be reached. Check the internet connection and try again.',
  timeout: 'The license service did not answer in time. Try again in a moment.',
  'service-error': 'The license service has trouble at the moment. Try again later.',
  'rate-limited': 'The license service asks to wait before the next try.',
  'unexpected-answer':
    'Something other than the license service answered. If you are on a public network, sign in to it first.',
  'incomplete-answer': 'The answer of the license service was cut off on its way. Try again in a moment.',
  unauthorized:
    'The license service did not accept the request of this app or its network. Try another network, or contact support.',
  'untrusted-answer': 'The answer does not carry a valid signature of the license service. Try again later.',

  // The record on disk
  'store-empty':
    'The license file was empty and has been set aside. Activate again; this device keeps its seat.',
  'store-unreadable':
    'The license file was damaged and has been set aside. Activate again; this device keeps its seat.',
  'store-newer-version':
    'The license file was written by a newer version of this app. Update the app, or activate again.',
  'store-undecryptable':
    'The license file can no longer be decrypted on this system. Activate again; this device keeps its seat.',
  'store-edited': 'The license file was changed from outside and is not trusted. Activate again.',
  'store-restored': 'The license file was damaged; its last good copy is in use.',
  'store-not-writable':
    'The license could not be saved because the app folder is not writable. It works until you quit; check the folder permissions.',
  'disk-full': 'The license could not be saved because the disk is full. Free some space and try again.',
  'record-of-another-device':
    'The license file was copied from another device. Activate the license here to use it on this one too.',

  // Time
  'clock-behind': 'The clock of this computer is behind. Set the date and time correctly.',
  'trial-over': 'The trial is over. Enter a license key to go on.',

  // Use
  busy: 'Another licensing operation is still running. Wait until it is finished.',
  'not-activated': 'No license is activated on this device.',
  misconfigured: 'Licensing is not set up correctly in this app. Contact its developer.',
  unexpected: 'Something unexpected went wrong. Try again; if it happens again, contact support.',
} as const

/** A stable identifier of a {@link Problem}; safe to switch on. */
export type ProblemCode = keyof typeof problemMessages

/** Trouble as plain data: it travels over IPC and holds no secret. */
export interface Problem {
  /** What happened, stable across versions. */
  readonly code: ProblemCode
  /** English sentence: what happened and what to do next. Screens translate by `code`. */
  readonly message: string
  /** Whether trying the same again later can help. */
  readonly isRetryable: boolean
  /** When it happened, ISO 8601 UTC. */
  readonly occurredAt: string
  /** HTTP status behind it, when there was one. */
  readonly httpStatus?: number
  /** Earliest moment another try makes sense, ISO 8601 UTC, when the service named one. */
  readonly retryAt?: string
}
