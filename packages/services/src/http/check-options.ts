/**
 * Checks the base URL of a service.
 *
 * @returns the URL without a trailing slash.
 * @throws {TypeError} if it is invalid. The message doesn't contain the URL, which may include a password.
 */
export function checkBaseUrl(service: string, text: string): string {
  const url = parseUrl(text)
  const thisMachine = /^(?:(?:.*\.)?localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/u
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && thisMachine.test(url.hostname))
  if (url !== null && isSafe && !(url.username + url.password + url.search + url.hash)) {
    return url.origin + url.pathname.replace(/\/+$/u, '')
  }
  throw new TypeError(`${service}: baseUrl must be an https:// URL without user name, query and fragment`)
}

/**
 * @param known the adapter's options by name, for the message.
 * @throws {TypeError} if options are left that the adapter doesn't know, such as a mistyped one.
 */
export function checkRest(service: string, rest: object, known: object): void {
  for (const name in rest) {
    throw new TypeError(`${service}: ${name} is not an option, only ${Object.keys(known).join(', ')}`)
  }
}

/** @throws {TypeError} if an option isn't a string of the given form. The message doesn't contain the value. */
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

/** @throws {TypeError} if a switch is set to anything but `true` or `false`, such as the text of a variable. */
export function checkSwitch(service: string, name: string, value: unknown): boolean {
  if (value == null || typeof value === 'boolean') return value === true
  throw new TypeError(`${service}: ${name} must be true or false`)
}

/** @throws {TypeError} if a secret can't be sent in a header. The message doesn't contain the secret. */
export function checkSecret(service: string, name: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[\x21-\x7e]+$/u.test(value)) return value
  throw new TypeError(`${service}: ${name} is empty or has a space or special character`)
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
