import { parseEnv } from 'node:util'
import { nearestName } from '@latchkey/services/environment'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { describeIgnored, isUnset, settingNames, type Variables } from './environment.ts'

const assignment = /^\s*(?:export\s+)?(?<name>[\w.-]+)\s*=\s*(?<quote>["'`]?)/u
/** A setting inside a value of several lines. A line of a key, as JSON or base64, has another form. */
const otherSetting = /^\s*(?:export\s+)?[A-Z][A-Z_]*\s*=\s*[^\s=]/u
const blankOrComment = /^\s*(?:#|$)/u
/** A comment as in INI files. `parseEnv` would read it as a setting. */
const otherComment = /^\s*;/u
/** A `#` right behind another character of a value. `parseEnv` would cut the value there. */
const cutValue = /^[^#]*[^#\s]#/u
/** An ID copied with its `#`, such as `#12345`. `parseEnv` would read it as a comment. */
const numberWithHash = /^#\d/u
/** The public keys that `keys generate` prints below the setting. Its whole output may be in the file. */
const publicKeys = /^\{"keys":\[/u

/**
 * Parses the text of a settings file: one `NAME=value` a line, with comments and blank lines.
 *
 * @param shownFile the file's name for messages.
 * @throws {GatewayConfigError} if a line is something else. The message has its number and not its text, which may be a
 * secret. Ignoring the line could be costly: without its signing key, the gateway's answers aren't signed. The same goes
 * for a name that is set twice, such as an old and a new signing key.
 */
export function readSettings(text: string, shownFile: string): Readonly<Record<string, string>> {
  if (text.includes('\0')) {
    throw new GatewayConfigError([`The settings file ${shownFile} isn't UTF-8. Save it as UTF-8.`])
  }
  // Some editors put a byte order mark in front of the first name.
  const settings = text.replace(/^\uFEFF/u, '')
  const lines = settings.split(/\r?\n/u)
  const lineOfName = new Map<string, number>()
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    if (otherComment.test(line)) {
      lines[index] = ''
      continue
    }
    if (blankOrComment.test(line) || publicKeys.test(line)) continue
    const found = assignment.exec(line)
    if (found === null) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file ${shownFile} must be NAME=value, a comment that begins with #, or blank.`,
      ])
    }
    const { name = '', quote = '' } = found.groups ?? {}
    const earlier = lineOfName.get(name)
    if (earlier !== undefined) throw setTwice(name, [earlier, index + 1], shownFile)
    lineOfName.set(name, index + 1)
    if (quote !== '' && line.includes(quote, found[0].length)) continue
    // A value in quotes may have several lines.
    const last = quote === '' ? -1 : lines.findIndex((later, place) => place > index && later.includes(quote))
    if (lines.slice(index + 1, last + 1).some((later) => otherSetting.test(later))) {
      throw new GatewayConfigError([
        `The quotation mark in line ${index + 1} of the settings file ${shownFile} isn't closed, so the settings below would be part of its value. Close it in the same line, or remove it.`,
      ])
    }
    if (last !== -1) index = last
    else if (found[0].endsWith('=') && numberWithHash.test(line.slice(found[0].length))) {
      throw new GatewayConfigError([
        `The value in line ${index + 1} of the settings file ${shownFile} begins with #, which starts a comment. Remove the #, or put a space before a comment.`,
      ])
    } else if (cutValue.test(line.slice(found[0].length))) {
      throw new GatewayConfigError([
        `Line ${index + 1} of the settings file ${shownFile} has a # in its value. Put the value in quotes, or a space before a comment.`,
      ])
    }
  }
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(parseEnv(lines.join('\n'))))
    if (value !== undefined) values[name] = value
  return values
}

function setTwice(
  name: string,
  [first, second]: readonly [number, number],
  file: string,
): GatewayConfigError {
  // The padding of a secret in base64 looks like the end of a name.
  const shown = /^[A-Z_]+$/u.test(name) ? name : 'the same name'
  return new GatewayConfigError([
    `Lines ${first} and ${second} of the settings file ${file} both set ${shown}. Remove one of them.`,
  ])
}

/** Variables of Node and its libraries that take effect while the process runs. */
const takesEffect =
  /^(?:NODE_(?:ENV|TLS_REJECT_UNAUTHORIZED|USE_ENV_PROXY)|(?:HTTPS?|NO|ALL)_PROXY|DEBUG|TZ)$/u

/** A secret without a name may end with an equals sign, like a name. */
const isSafeToShow = /^[A-Z]+(?:_[A-Z\d]+)*$/u

/**
 * Returns one sentence for each name in a settings file that has no effect. `LATCHKEY_` names aren't among them: they are
 * checked together with those of the environment, which may contain any other name.
 */
export function describeIgnoredSettings(
  settings: Readonly<Record<string, string>>,
  environment: Variables,
): readonly string[] {
  return Object.keys(settings).flatMap((name) => {
    const isRead = settingNames.includes(name) || name.startsWith('LATCHKEY_') || takesEffect.test(name)
    if (isRead || !isSafeToShow.test(name)) return []
    if (name.startsWith('NODE_')) {
      return environment[name] === settings[name]
        ? []
        : [`Node reads ${name} before the settings file, where it is ignored. Set it in the environment.`]
    }
    // What the environment sets goes before the file.
    if (!isUnset(environment[name])) return []
    const prefixed = `LATCHKEY_${name}`
    const meant = settingNames.includes(prefixed)
      ? prefixed
      : nearestName(
          name,
          settingNames.filter((one) => one.startsWith('LATCHKEY_')),
        )
    return [`${describeIgnored(name)}${meant === null ? '' : ` Did you mean ${meant}?`}`]
  })
}

/**
 * Returns the names in a settings file for which the environment has another value, which is used. `PORT` and `HOST` aren't
 * among them, because many platforms set them.
 */
export function overriddenSettings(
  settings: Readonly<Record<string, string>>,
  environment: Variables,
): readonly string[] {
  return Object.entries(settings)
    .filter(([name, value]) => {
      const given = environment[name]
      return (
        name.startsWith('LATCHKEY_') && !isUnset(given) && !isUnset(value) && given.trim() !== value.trim()
      )
    })
    .map(([name]) => name)
}
