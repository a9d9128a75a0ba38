import { type CommerceError, isCommerceError } from '@latchkey/commerce'
import { type GlobalOptions, timeoutMsOf } from './connection.ts'
import { explainFailure, explainRefusal, withProxyHint } from './doctor/explain-failure.ts'
import { explainLicense } from './doctor/explain-license.ts'
import { explainRefusalPage } from './doctor/explain-proxy.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { findMistypedVariables } from './input/mistyped-variables.ts'
import { asSentence } from './printable.ts'
import { OutcomeError, tryAgain } from './services/outcome-error.ts'
import { chosenService } from './services/service-context.ts'
import { settingAdvice } from './services/setting-advice.ts'
import { isClosedPipe, type Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Runs a command and converts any error to one sentence and an exit code. Warns about mistyped variables. */
export async function runCommand(
  terminal: Terminal,
  options: GlobalOptions,
  work: () => Promise<number>,
): Promise<number> {
  for (const warning of findMistypedVariables(terminal.env)) terminal.err.write(`latchkey: ${warning}\n`)
  try {
    return await work()
  } catch (error) {
    if (error instanceof UsageError) return complain(terminal, error.message, exitCodes.usage)
    if (error instanceof OutcomeError) {
      const service = chosenService(terminal) ?? 'commerce'
      const advice = settingAdvice(error.suspected, { service, options, env: terminal.env })
      return complain(terminal, `${error.message}${advice}`, error.exitCode)
    }
    if (isCommerceError(error) && error.code !== 'cancelled') {
      const page = explainRefusalPage(error)
      if (page !== null) return complain(terminal, asSentence(page), exitCodeOfPage(error))
      const missing = explainMissing(error) ?? explainMissingPath(error)
      if (missing !== null) return complain(terminal, missing.message, missing.exitCode)
      const message =
        explainUnreached(error, options, terminal.env) ??
        explainGateway(error) ??
        explainForbidden(error) ??
        explainServerError(error) ??
        `${error.message}${advice(error)}`
      return complain(terminal, message, exitCodeOf(error))
    }
    if (isClosedPipe(error)) return exitCodes.ok
    if (terminal.signal.aborted) return complain(terminal, 'Interrupted.', exitCodes.interrupted)
    throw error
  }
}

function complain(terminal: Terminal, message: string, exitCode: number): number {
  terminal.err.write(`latchkey: ${message}\n`)
  return exitCode
}

/** A page that says that nothing is there says nothing about a license. */
function exitCodeOfPage(error: CommerceError): number {
  return error.code === 'not-found' ? exitCodes.unexpected : exitCodeOf(error)
}

interface Explained {
  readonly message: string
  readonly exitCode: number
}

/** Explains a 404 to a request for a license: the license, its key or the address is wrong. `null` for other errors. */
function explainMissing(error: CommerceError): Explained | null {
  const { code, operation, status, bodyIsJson, refusalCode } = error
  if (code !== 'not-found' || operation?.startsWith('licenses.') !== true) return null
  if (bodyIsJson === false) {
    const message = `Something other than the service answers at this address (status ${status}, no JSON). Check the base URL, which ends with the version segment, such as /v1. Run \`latchkey doctor\` to find the cause.`
    return { message, exitCode: exitCodes.unexpected }
  }
  // Only a gateway sends this code.
  const listAdvice =
    refusalCode === 'not-found'
      ? 'If this is a gateway for several services, a license without devices looks the same: `latchkey doctor --gateway` finds out by activating it.'
      : 'If the license key is right, run `latchkey doctor` to check the address.'
  const message =
    operation === 'licenses.keys'
      ? `There is no such license, or the base URL is wrong (status ${status}). ${listAdvice}`
      : `The license has no such key, or the base URL is wrong (status ${status}). Pass the license key first, then the key id. \`latchkey keys list\` shows which devices the license still has.`
  return { message, exitCode: exitCodes.notFound }
}

/** Explains a 404 to a request for a list of the vendor's: the address is wrong. `null` for other errors. */
function explainMissingPath({ code, operation, status }: CommerceError): Explained | null {
  if (code !== 'not-found' || !/^(?:customers|discounts)\./u.test(operation ?? '')) return null
  const message = `The commerce service has nothing at this address (${operation}, status ${status}). Check the base URL. Only the commerce service itself has this list, and a gateway doesn’t serve it.`
  return { message, exitCode: exitCodes.unexpected }
}

/** Explains why no answer came: trying again seldom helps then. `null` if the cause is unknown. */
function explainUnreached(error: CommerceError, options: GlobalOptions, env: Terminal['env']): string | null {
  const reason = error.code === 'unreachable' ? explainFailure(error, timeoutMsOf(options)) : null
  const address = options.baseUrl ?? env['LATCHKEY_BASE_URL']
  if (reason === null || address === undefined) return null
  return `The commerce service could not be reached: ${withProxyHint(reason, address, env)}.`
}

/** Explains a service's 403 to a request for a license, which may be about either. `null` for other errors. */
function explainForbidden({ operation, status, bodyIsJson }: CommerceError): string | null {
  const isAboutLicense = operation?.startsWith('licenses.') === true && status === 403 && bodyIsJson === true
  if (!isAboutLicense) return null
  return `The commerce service forbids this request (${operation}, status 403): the access token may be wrong or not allow it, or the license may be suspended or have ended. Run \`latchkey doctor\` to check the token.`
}

/** Explains an error of the server, which was reached. `null` for other errors. */
function explainServerError({ code, operation, status }: CommerceError): string | null {
  if (code !== 'unreachable' || status === null || status < 500) return null
  return `The commerce service, or a proxy in front of it, has a problem (${operation}, status ${status}). Try again later. Run \`latchkey doctor\` to find the cause.`
}

/** Explains a code that only a gateway sends, about the service behind it; `null` for other errors. */
function explainGateway(error: CommerceError): string | null {
  const explained = error.refusalCode?.startsWith('upstream-') === true ? explainRefusal(error) : null
  return explained === null ? null : asSentence(explained)
}

function advice(error: CommerceError): string {
  // The doctor would send more requests.
  if (error.status === 429) return ` ${tryAgain(error.retryAfterMs)}`
  // The doctor explains a proxy's page in place of JSON, and a gateway's reason.
  const isExplained =
    error.code === 'rejected' && (error.bodyIsJson === false || explainLicense(error) !== null)
  return isExplained ||
    error.code === 'unreachable' ||
    error.code === 'unauthorized' ||
    error.code === 'unexpected-answer'
    ? ' Run `latchkey doctor` to find the cause.'
    : ''
}
