/** The UUID in a text, or why there is none. */
export type FoundUuid =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly code: 'no-uuid' | 'several-uuids' }

// The same rules as in the app's finder, packages/electron/src/shared/license-key-text.ts. A test compares them.

// Zero-width and formatting characters that mail clients and web pages leave inside a copied key.
const invisible = /\p{Default_Ignorable_Code_Point}/gu
// Word processors replace hyphens with these.
const dashes = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/gu
const groupLengths = [8, 4, 4, 4, 12]
const plain = uuidWith('')
/** White space may break a UUID anywhere, as in a narrow column of an email. */
const broken = uuidWith('\\s*')
/** Some programs show a UUID without its hyphens, or with spaces in their place. */
const unhyphenated = new RegExp(
  `^${groupLengths.map((digits) => `([0-9a-f]{${digits}})`).join('[\\s-]{0,3}')}$`,
  'iu',
)
/** Words that introduce a license key, in the languages of the activation window. "licen" covers eight of them. */
export const licenseWord: RegExp = /licen|lizenz|ライセンス|许可|授权|激活|라이선스|라이센스|ترخيص/iu

/**
 * Finds the license key of the commerce service (a UUID) in a text, as an app does: despite spaces, line breaks,
 * zero-width characters, or a sentence or link around it. The same key twice counts as one. If there are several, as in
 * an email with an order number, it takes the only one introduced by a word such as "license". Unlike an app, it also
 * takes a text that is only a key without hyphens. Returns the key in lower case.
 */
export function findLicenseUuid(text: string): FoundUuid {
  const found = findUuids(text)
  const introduced = [...found].filter(([, label]) => licenseWord.test(label)).map(([id]) => id)
  return onlyOne(introduced.length === 1 ? introduced : [...found.keys()])
}

/** Finds the only UUID in a text. Returns it in lower case. */
export function findOnlyUuid(text: string): FoundUuid {
  return onlyOne([...findUuids(text).keys()])
}

/** Whether the UUID is a part of a longer word in the text, such as `INKWELL-1c285b2d-…`, a key of another service. */
export function isPartOfWord(id: string, text: string): boolean {
  return new RegExp(`[\\w-]${id}`, 'iu').test(visibleText(text))
}

function onlyOne([id, ...others]: readonly string[]): FoundUuid {
  if (id === undefined) return { ok: false, code: 'no-uuid' }
  return others.length > 0 ? { ok: false, code: 'several-uuids' } : { ok: true, id }
}

/** Returns each UUID with the text that introduces it: the line before it, or the line above if there is none. */
function findUuids(text: string): ReadonlyMap<string, string> {
  const visible = visibleText(text)
  const found = new Map<string, string>()
  let end = 0
  const whole = [...visible.matchAll(plain)]
  for (const { 0: match, index } of whole.length > 0 ? whole : visible.matchAll(broken)) {
    const id = match.replace(/\s/gu, '').toLowerCase()
    const label = lastLineOf(visible.slice(end, index))
    // If a UUID appears twice, keep the place that introduces it as a license.
    if (!found.has(id) || licenseWord.test(label)) found.set(id, label)
    end = index + match.length
  }
  if (found.size > 0) return found
  const groups = unhyphenated.exec(visible.trim())?.slice(1)
  return groups === undefined ? found : new Map([[groups.join('-').toLowerCase(), '']])
}

/** Returns the last line that isn't empty. */
function lastLineOf(text: string): string {
  const lines = text.trimEnd().split(/[\r\n]+/u)
  return lines.at(-1) ?? ''
}

/** Returns a text with plain hyphens and without invisible characters. */
export function visibleText(text: string): string {
  return text.normalize('NFKC').replace(invisible, '').replace(dashes, '-')
}

/** Matches a UUID; `gap` may follow each of its characters. */
function uuidWith(gap: string): RegExp {
  const groups = groupLengths.map((digits) => `(?:[0-9a-f]${gap}){${digits}}`)
  return new RegExp(`(?<![0-9a-f])${groups.join(`-${gap}`)}(?![0-9a-f])`, 'giu')
}
