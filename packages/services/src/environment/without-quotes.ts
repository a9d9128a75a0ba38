const atAnEnd = /^["'`“”‘’]|["'`“”‘’]$/gu

/**
 * Removes quotation marks around values, which Docker's `--env-file` keeps. A service would only refuse such a token.
 *
 * @param known the names of the settings to look at.
 * @param problems receives one sentence per setting.
 */
export function withoutQuotes(
  variables: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  problems: string[],
): Readonly<Record<string, string | undefined>> {
  const unquoted = { ...variables }
  for (const name of known) {
    const value = variables[name]?.trim()
    if (value === undefined || value.search(atAnEnd) === -1) continue
    unquoted[name] = value.replaceAll(atAnEnd, '')
    problems.push(`${name} is in quotation marks, which became part of its value. Remove them.`)
  }
  return unquoted
}
