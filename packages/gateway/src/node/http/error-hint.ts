import type { GatewayLogLine } from '../../http/request-log.ts'

/** Returns a log for a server without one. It warns once for each `code` or `remark` of a line with level `error`. */
export function createErrorHint(warn: (sentence: string) => void): (line: GatewayLogLine) => void {
  const warned = new Set<string>()
  return ({ level, code, remark, route, detail }) => {
    const what = [code, remark].filter((one) => one !== null).join(', ')
    if (level !== 'error' || warned.has(what)) return
    warned.add(what)
    const why = detail === null ? '' : `: ${detail}`
    warn(
      `The gateway has a problem that needs action (${what}, route ${route ?? 'none'})${why}. It won’t be reported again. Pass the option log to see every request.`,
    )
  }
}
