import type { Logger } from '../../core/ports.ts'
import { maskLicenseKey, replaceUuids } from '../../shared/license-key-text.ts'

/**
 * Makes a text safe to log: shortens license keys and ids of keys, and hides the given secrets.
 *
 * @param keys license keys and ids of any form. UUIDs are always recognized.
 */
export function maskSecrets(
  text: string,
  secrets: readonly string[],
  keys: ReadonlySet<string> = new Set(),
): string {
  let masked = text
  for (const key of longestFirst([...keys])) masked = masked.replaceAll(key, () => maskLicenseKey(key))
  for (const secret of longestFirst(secrets)) {
    if (secret !== '') masked = masked.replaceAll(secret, '••••')
  }
  return replaceUuids(masked, (id) => maskLicenseKey(id.toLowerCase()))
}

/** Longest first. Otherwise, if one secret starts with another, its rest would stay visible. */
function longestFirst(texts: readonly string[]): readonly string[] {
  return [...texts].sort((one, other) => other.length - one.length)
}

/** Wraps the developer's logger so that secrets are masked. An error in the logger is ignored. */
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

/** The default logger: warnings and errors only. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  // biome-ignore lint/suspicious/noConsole: the console is where a developer without a logger looks.
  warn: (message) => console.warn(message),
  // biome-ignore lint/suspicious/noConsole: the console is where a developer without a logger looks.
  error: (message) => console.error(message),
}
