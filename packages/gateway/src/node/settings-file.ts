import { readFileSync } from 'node:fs'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { describeIgnored, isUnset, settingNames } from './environment.ts'

/** A name and a value, perhaps in quotes. A comment follows a space, so that it can't cut a secret. */
const assignment =
  /^\s*(?:export\s+)?(?<name>[\w.-]+)\s*=\s*(?:(?<quote>["'`])(?<quoted>(?:(?!\k<quote>).)*)\k<quote>|(?<plain>(?!["'`])[^#]*?))(?:\s+#.*)?\s*$/u
/** A comment, or the public keys that `keys generate` prints below the setting. Its whole output may be in the file. */
const ignored = /^\s*(?:#.*)?$|^\{"keys":\[/u

/**
 * Parses the text of a settings file: one `NAME=value` a line, with comments and blank lines.
 *
 * @throws {GatewayConfigError} if a line is something else. The message has its number and not its text, which may be a
 * secret. Ignoring the line could be costly: without its signing key, the gateway's answers aren't signed. The same goes
 * for a name that is set twice, such as an old and a new signing key.
 */
export function readSettings(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  // Some editors put a byte order mark in front of the first name.
  const lines = text.replace(/^\uFEFF/u, '').split(/\r?\n/u)
  for (const [index, line] of lines.entries()) {
    if (ignored.test(line)) continue
    const { name, quoted, plain } = assignment.exec(line)?.groups ?? {}
    if (name === undefined) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file must be NAME=value, a comment that begins with #, or blank. Put a value with a # in quotes, and close them in the same line.`,
      ])
    }
    if (name in values) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file sets a name a second time. Remove one.`,
      ])
    }
    values[name] = quoted ?? plain ?? ''
  }
  return values
}

/** Variables of Node and its libraries that take effect while the process runs. */
const takesEffect =
  /^(?:NODE_(?:ENV|TLS_REJECT_UNAUTHORIZED|USE_ENV_PROXY)|(?:HTTPS?|NO|ALL)_PROXY|DEBUG|TZ)$/u

/** A secret without a name may end with an equals sign, like a name. */
const isSafeToShow = /^[A-Z]+(?:_[A-Z\d]+)*$/u

/**
 * Returns that a setting has another value in the environment than in the file; `null` if it hasn't. Ask before
 * {@link applySettings}.
 */
export function overriddenText(
  name: string,
  settings: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const [current, value] = [environment[name], settings[name]]
  const isOther = !isUnset(current) && !isUnset(value) && current.trim() !== value.trim()
  return isOther ? `${name} has another value in the environment than in the settings file.` : null
}

/**
 * Adds the settings of a file to the environment, where a variable that isn't empty goes first.
 *
 * @returns sentences about names that have no effect, or another value in the environment. Many platforms set `PORT` and
 * `HOST`, and the environment reports unknown `LATCHKEY_` names itself.
 */
export function applySettings(
  settings: Readonly<Record<string, string>>,
  environment: Record<string, string | undefined>,
): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const current = environment[name]
    const overridden = overriddenText(name, settings, environment)
    if (isUnset(current)) environment[name] = value
    if (name.startsWith('LATCHKEY_'))
      return overridden === null ? [] : [`${overridden} The file's is not used.`]
    const hasEffect = settingNames.includes(name) || takesEffect.test(name) || current === value
    return hasEffect || !isSafeToShow.test(name) ? [] : [describeIgnored(name)]
  })
}

/** @throws {GatewayConfigError} if the file can't be read. The message doesn't name it: it may be a pasted key. */
export function readSettingsFile(file: string): Readonly<Record<string, string>> {
  try {
    return readSettings(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof GatewayConfigError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new GatewayConfigError([
      `The settings file can't be read (${code}). Check the name after --settings, the folder, and its permissions.`,
    ])
  }
}
