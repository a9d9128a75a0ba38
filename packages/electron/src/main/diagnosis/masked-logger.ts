import type { Logger } from '../../core/ports/logger-port.ts'
import { maskLicenseKey } from '../../shared/license-key-text.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu

/**
 * Makes a text safe to show: license keys and ids of keys are shortened, the given secrets blotted out.
 *
 * @param keys license keys and IDs of any form; UUIDs are recognized anyway.
 */
export function maskSecrets(
  text: string,
  secrets: readonly string[],
  keys: ReadonlySet<string> = new Set(),
): string {
  let masked = text
  for (const key of longestFirst([...keys])) masked = masked.replaceAll(key, maskLicenseKey(key))
  for (const secret of longestFirst(secrets)) {
    if (secret !== '') masked = masked.replaceAll(secret, '••••')
  }
  return masked.replace(uuid, (id) => maskLicenseKey(id.toLowerCase()))
}

/** Of a secret that begins with another one the rest would stay. */
function longestFirst(texts: readonly string[]): readonly string[] {
  return [...texts].sort((one, other) => other.length - one.length)
}

/** The developer's logger behind a mask; one that throws does not take licensing with it. */
export function createMaskedLogger(
  logger: Logger,
  secrets: readonly string[],
  keys?: ReadonlySet<string>,
): Logger {
  const tell = (level: keyof Logger) => (message: string) => {
    try {
      logger[level](`[latchkey] ${maskSecrets(message, secrets, keys)}`)
    } catch {}
  }
  return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') }
}

/** What is used when the developer names none: silent as long as all is well. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  // biome-ignore lint/suspicious/noConsole: the console is where a developer without a logger looks.
  warn: (message) => console.warn(message),
  // biome-ignore lint/suspicious/noConsole: the console is where a developer without a logger looks.
  error: (message) => console.error(message),
}
