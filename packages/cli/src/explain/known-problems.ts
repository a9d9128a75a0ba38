import { exitCodes } from '../command-error.ts'
import type { Explanation } from './failure.ts'

const { unreachable, unauthorized, unexpected, notFound } = exitCodes

const behind = 'the gateway answers, but'
const lostBody =
  'the gateway receives the request without its body, or without Content-Type: application/json: look for a proxy in between that drops or changes them'
const noList =
  'apps activate without looking for their earlier activation, so a reinstalled app takes another seat'

/** What the codes in a gateway's refusals mean. What to correct is on the gateway, not on this computer. */
const gatewayTexts: Readonly<Record<string, string>> = {
  'upstream-unauthorized': `${behind} the service refuses its access token for this request: correct it in the gateway’s settings. If it is right, the license may be suspended or have ended`,
  'upstream-unreachable': `${behind} can’t reach the service: check the service’s address in its settings, and its network`,
  'upstream-timeout': `${behind} the service didn’t answer it in time: try again later`,
  'upstream-busy': `${behind} the service is down or overloaded: try again later`,
  'upstream-unexpected-answer': `${behind} something else answers it in place of the service, or with a wrong signature: check the service’s address in its settings, or Keygen’s public key or account. The gateway’s log has the reason`,
  'upstream-misconfigured': `${behind} the service is set up in a way that it can’t use: see the gateway’s log`,
  'upstream-loop': `${behind} its own requests come back to it: set LATCHKEY_UPSTREAM there to the service’s address, not to the gateway’s`,
  'too-many-requests':
    'the gateway limits the requests for this license or from this address: try again in a minute',
  internal: 'the gateway itself, or one of its rules, failed: its log has the reason',
  'invalid-body': lostBody,
  'json-only': lostBody,
  'not-found':
    'the gateway doesn’t know this license or device: check it, and the gateway’s rule allow if you set one. Behind a gateway for several services, a license without devices looks the same: latchkey doctor --gateway --activate finds out',
  'list-not-allowed': `the service does not let the gateway list devices: ${noList}`,
  'list-unreadable': `the gateway can’t read the service’s list of devices, see its log: ${noList}`,
}

/** Exit codes of those that don't mean that the request was refused. */
const gatewayExitCodes: Readonly<Record<string, number>> = {
  'upstream-unauthorized': unauthorized,
  'upstream-unreachable': unreachable,
  'upstream-timeout': unreachable,
  'upstream-busy': unreachable,
  'too-many-requests': unreachable,
  internal: unreachable,
  'not-found': notFound,
}

/** Explains a gateway's code; `null` if it is unknown. */
export function explainCode(code: string): Explanation | null {
  if (!Object.hasOwn(gatewayTexts, code)) return null
  const isAboutList = code.startsWith('list-')
  return {
    check: isAboutList ? 'list devices' : code === 'not-found' ? 'license' : 'service',
    exitCode: gatewayExitCodes[code] ?? unexpected,
    text: `${gatewayTexts[code]} (${code})`,
    isNote: isAboutList,
  }
}

const untrustedCertificate =
  'this computer doesn’t trust the service’s certificate: if it is from your own authority, set NODE_EXTRA_CA_CERTS'
const closed = 'the connection was closed before an answer came: check for a proxy or firewall in between'
const noConnection = 'no connection could be made in time: check for a firewall in between'
const noRoute = 'no network leads to this address: check the network connection or VPN'
const noTls =
  'the server doesn’t speak TLS on this port: check whether the address begins with http:// or https://'

const systemProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address and port: start the service, or correct the port',
  ENOTFOUND: 'the host name is unknown: check its spelling',
  EAI_AGAIN: 'the host name could not be looked up: check the network connection',
  ECONNRESET: closed,
  UND_ERR_SOCKET: closed,
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_PROXY_TUNNEL:
    'the proxy for outgoing requests doesn’t let this one through: check its address, whether it wants a password, and whether it allows this host',
  CERT_HAS_EXPIRED: 'the service’s certificate has expired, or this computer’s clock is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the service’s certificate is for another host name: check the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
}

/** Explains a system error code; `null` if it is unknown. */
export function systemProblem(code: string | null): string | null {
  return code === null || !Object.hasOwn(systemProblems, code) ? null : `${systemProblems[code]} (${code})`
}

/** Says what a proxy in the environment may have to do with a failed connection. Empty if there is none for the address. */
export function proxyHint(address: string, env: Readonly<Record<string, string | undefined>>): string {
  const { protocol, hostname } = new URL(address)
  const names = protocol === 'http:' ? ['HTTP_PROXY', 'http_proxy'] : ['HTTPS_PROXY', 'https_proxy']
  const name = names.find((one) => (env[one] ?? '') !== '')
  if (name === undefined) return ''
  if (env['NODE_USE_ENV_PROXY'] === '1') return `. The request may have been sent to the proxy in ${name}`
  // This machine is reached without a proxy.
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)
  return isLocal ? '' : `. ${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1`
}
