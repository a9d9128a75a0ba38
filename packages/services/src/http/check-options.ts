/**
 * Checks the address of a service.
 *
 * @returns it without a trailing slash.
 * @throws {TypeError} when it can't be used. The message doesn't show it, since it may hold a password.
 */
export function checkBaseUrl(service: string, text: string): string {
  const url = parseUrl(text)
  const isThisMachine = /^(?:(?:.*\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/u.test(url?.hostname ?? '')
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine)
  if (url !== null && isSafe && !(url.username + url.password + url.search + url.hash)) {
    return url.origin + url.pathname.replace(/\/+$/u, '')
  }
  throw new TypeError(
    `${service}: baseUrl must be an https:// URL without user name, password, query and fragment`,
  )
}

/** @throws {TypeError} when an option is not a text of the given form. The message doesn't show the value. */
export function checkOption(
  service: string,
  name: string,
  value: unknown,
  form: RegExp,
  where: string,
): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new TypeError(`${service}: ${name} must be ${where}`)
}

/** @throws {TypeError} when a secret can't be sent in a header. The message doesn't show it. */
export function checkSecret(service: string, name: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[\x21-\x7e]+$/u.test(value)) return value
  throw new TypeError(`${service}: ${name} is empty or contains a space, a line break or a special character`)
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
