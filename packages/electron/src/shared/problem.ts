/**
 * Every problem Latchkey can report: a stable code, and one sentence that explains what happened and what to do.
 * This map is the only source of codes. The documentation's table is generated from it.
 */
export const problemMessages = {
  // The pasted text
  'empty-text': 'Nothing was entered. Paste the license key from your purchase email.',
  'no-license-key': 'There’s no license key in this text. Copy the key from your purchase email.',
  'several-license-keys': 'This text contains more than one license key. Paste only the one you want to use.',
  'text-too-long': 'This text is too long to be a license key. Paste only the key.',
  'incomplete-license-key':
    'A part of the license key is missing. Copy the whole key from your purchase email.',
  'newer-license-key': 'This license key needs a newer version of this app. Update the app.',
  'foreign-character': 'Copy the license key again. It contains a character that doesn’t belong there.',

  // Why an activation was refused
  'license-not-found': 'We couldn’t find this license key. Check that you copied the whole key.',
  'wrong-product': 'This license key is for another product. Copy the key from your purchase email.',
  'license-expired': 'This license has expired. Renew it to continue using the app.',
  'license-suspended': 'This license is suspended. Contact support for help.',
  'license-inactive': 'This license isn’t active. Contact support for help.',
  'no-seat-left': 'All seats of this license are in use. Release a device to use it here.',
  'activation-refused':
    'The license service declined this key. The license may have expired or been suspended.',
  'activation-paused':
    'This activation was started more than a day ago. Enter the license key again to finish it.',
  'activation-unconfirmed':
    'The connection broke before the activation was confirmed. Try again to complete it.',
  'license-of-other-service': 'This app has moved to another license service. Enter your new key.',
  'seat-may-be-taken':
    'The activation was cut off and may have taken a seat. Try again, or release this device in your customer account.',
  'test-license-key': 'This license key is only for tests. Copy the key from your purchase email.',

  // This device's key
  'moved-to-another-device':
    'Your license was probably moved to another device. Activate again to use it here.',
  unconfirmed: 'The license service gave an unclear answer about this device. We’ll ask again.',
  'adoption-unavailable':
    'The license service didn’t list the devices of this license, so an earlier activation of this device couldn’t be reused.',
  'devices-not-listed':
    'The license service didn’t list the devices of this license. Release one of them in your customer account.',
  'device-not-found': 'This device is no longer on the license. Refresh the list.',
  'other-device': 'This app can’t release other devices. Ask your administrator to free a seat for this one.',
  'deactivation-pending':
    'This device is deactivated. Its seat will be available once the license service can be reached.',

  // The service can't be reached, or its answer can't be used
  offline: 'We couldn’t reach the license service. Check your internet connection and try again.',
  timeout: 'The license service didn’t respond in time. Try again in a moment.',
  'service-error': 'The license service is having problems. Try again later.',
  'rate-limited': 'Too many requests. Try again later.',
  'unexpected-answer':
    'Something other than the license service answered. If you are on a public network, sign in to it first.',
  'incomplete-answer': 'The response from the license service was cut off. Try again in a moment.',
  unauthorized:
    'The license service didn’t accept the request from this app or its network. Try another network, or contact support.',
  'untrusted-answer': 'The response has no valid signature from the license service. Try again later.',

  // The record on disk
  'store-empty': 'The license file was empty and has been set aside. Activate again.',
  'store-unreadable': 'The license file was damaged and has been set aside. Activate again.',
  'store-newer-version':
    'The license file was written by a newer version of this app. Update the app, or activate again.',
  'store-undecryptable':
    'The license file can no longer be decrypted on this system. Restart the app and allow access to the keychain if asked. If that doesn’t help, activate again.',
  'store-edited': 'The license file was changed by something else and can’t be trusted. Activate again.',
  'store-restored': 'The license file was damaged; its last good copy is in use.',
  'store-not-writable':
    'The license couldn’t be saved because the app folder isn’t writable. Check the folder permissions and try again.',
  'disk-full': 'The license couldn’t be saved because the disk is full. Free some space and try again.',
  'record-of-another-device':
    'The license file was copied from another device. Activate the license here to use it on this one too.',

  // Time
  'clock-behind': 'This computer’s clock is wrong. Set the correct date and time.',
  'trial-over': 'Your trial is over. Enter a license key to continue.',

  // Usage
  busy: 'Another operation is still running. Wait a moment.',
  'not-activated': 'No license is activated on this device.',
  misconfigured: 'Licensing isn’t set up correctly in this app. Contact its developer.',
  unexpected: 'Something went wrong. Try again; if it happens again, contact support.',
} as const

/** A stable identifier of a {@link Problem}; safe to switch on. */
export type ProblemCode = keyof typeof problemMessages

/** A problem as plain data: it is sent over IPC and contains no secret. */
export interface Problem {
  /** What happened, stable across versions. */
  readonly code: ProblemCode
  /** English sentence: what happened and what to do next. Screens translate by `code`. */
  readonly message: string
  /** Whether trying again later can help. */
  readonly isRetryable: boolean
  /** When it happened, ISO 8601 UTC. */
  readonly occurredAt: string
  /** HTTP status that caused it, if there was one. */
  readonly httpStatus?: number
  /** Chromium's code of why there was no connection, such as `ERR_NAME_NOT_RESOLVED`, if it stated one. */
  readonly networkError?: string
  /** When to try again at the earliest, ISO 8601 UTC, if the service stated it. */
  readonly retryAt?: string
  /**
   * Where the license key came from, if `provisioning` found it, such as `/etc/notes/license.json` or `NOTES_LICENSE_KEY`.
   */
  readonly source?: string
}

/** Whether it is unknown whether an activation took a seat. */
export function isUncertain(problem: { readonly code: string } | null | undefined): boolean {
  return problem?.code === 'activation-unconfirmed' || problem?.code === 'seat-may-be-taken'
}
