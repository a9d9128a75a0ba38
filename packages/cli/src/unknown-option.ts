/** Names that people try for a secret, such as `--token`, `--access-token` and `--api-key`. */
const secretName = /^--?(?:\w+-)*(?:token|secret|password|api-?key|signing-key)$/iu

/**
 * Rewrites commander's message about an unknown option. It repeats the whole word, which may contain a secret:
 * `--token=…`.
 *
 * @param message as commander writes it. Other messages stay the same.
 * @param service the name in `LATCHKEY_SERVICE`; `null` for the commerce service.
 */
export function explainUnknownOption(message: string, service: string | null): string {
  const [start, name] = /^error: unknown option '(--[^\s=']*|-[^\s=']?)/u.exec(message) ?? []
  if (start === undefined || name === undefined) return message
  const suggestion = /\(Did you mean [^\n]*\)/u.exec(message)?.[0]
  const advice = secretName.test(name) ? adviceOnSecrets(service) : suggestion
  return `${start}'\n${advice === undefined ? '' : `${advice}\n`}`
}

function adviceOnSecrets(service: string | null): string {
  const why = 'Other users of this computer can read a command line, so no secret is taken from it.'
  return service === null
    ? `${why}\nSet LATCHKEY_ACCESS_TOKEN, or name a file that contains the token: --token-file <file>.`
    : `${why}\nSet the variables of ${service}. latchkey --help lists them.`
}
