import type { CommerceError } from '@latchkey/commerce'

const untrustedCertificate =
  'this computer doesn’t trust the service’s certificate: if it is from your own authority, set NODE_EXTRA_CA_CERTS'

/** Explanations of system error codes for the user of the command. */
const systemCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address and port: start the service, or correct the port',
  ENOTFOUND: 'the host name is unknown: check its spelling',
  EAI_AGAIN: 'the host name could not be looked up: check the network connection',
  ECONNRESET: 'the connection was closed before an answer came: check for a proxy or firewall in between',
  UND_ERR_SOCKET: 'the connection was closed before an answer came: check for a proxy or firewall in between',
  ETIMEDOUT: 'no connection could be made in time: check for a firewall in between',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time: check for a firewall in between',
  EHOSTUNREACH: 'no network leads to this address: check the network connection or VPN',
  ENETUNREACH: 'no network leads to this address: check the network connection or VPN',
  EPROTO:
    'the server doesn’t speak TLS on this port: check whether the address begins with http:// or https://',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server doesn’t speak TLS on this port: check whether the address begins with http:// or https://',
  ERR_PROXY_TUNNEL:
    'the proxy for outgoing requests doesn’t let this one through: check its address, whether it wants a password, and whether it allows this host',
  CERT_HAS_EXPIRED: 'the service’s certificate has expired, or this computer’s clock is wrong',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the service’s certificate is for another host name: check the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
}

const lostBody =
  'the gateway receives the request without its body, or without Content-Type: application/json: look for a proxy in between that drops or changes them'

/** Explanations of a gateway's own codes: what to correct is on the gateway, not on this computer. */
const gatewayCodes: Readonly<Record<string, string>> = {
  'upstream-unauthorized':
    'the gateway answers, but the service refuses its access token: correct it in the gateway’s settings',
  'upstream-unreachable':
    'the gateway answers, but can’t reach the service: check the service’s address in its settings, and its network',
  'upstream-timeout': 'the gateway answers, but the service didn’t answer it in time: try again later',
  'upstream-busy': 'the gateway answers, but the service is down or overloaded: try again later',
  'upstream-unexpected-answer':
    'the gateway answers, but something else answers it in place of the service, or with a wrong signature: check the service’s address in its settings, or Keygen’s public key or account. The gateway’s log has the reason',
  'upstream-misconfigured':
    'the gateway answers, but the service is set up in a way that it can’t use: see the gateway’s log',
  'upstream-loop':
    'the gateway answers, but its own requests come back to it: set LATCHKEY_UPSTREAM there to the service’s address, not to the gateway’s',
  'too-many-requests':
    'the gateway limits the requests for this license or from this address: try again in a minute',
  internal: 'the gateway itself, or one of its rules, failed: its log has the reason',
  'invalid-body': lostBody,
  'json-only': lostBody,
  'not-found':
    'the gateway answers that it doesn’t know this license or key: check the license key, and the gateway’s rule allow if you set one',
}

/** Explanations of a gateway's codes for a list that it can't have. Its other routes work without the list. */
const listCodes: Readonly<Record<string, string>> = {
  'list-not-allowed':
    'the service does not let the gateway list devices: apps activate without looking for their earlier activation, so a reinstalled app takes another seat',
  'list-unreadable':
    'the gateway can’t read the service’s list of devices, see its log: apps activate without looking for their earlier activation, so a reinstalled app takes another seat',
}

const nothingListed =
  'the gateway answers that it doesn’t know this license key. If it serves several services, a license without devices looks the same, so the activation decides'

const maxDepth = 5

/** Explains the code in a gateway's answer; `null` if it has none that is known here. */
export function explainRefusal({ refusalCode }: CommerceError): string | null {
  return explainCode(gatewayCodes, refusalCode)
}

/** Explains why a gateway has no list of devices; `null` if that isn't the error. Apps work without that list. */
export function explainMissingList({ refusalCode }: CommerceError): string | null {
  return explainCode(listCodes, refusalCode)
}

/** Whether a gateway answers that no service behind it knows the license or key. */
export function isUnknownAtGateway({ code, refusalCode }: CommerceError): boolean {
  return code === 'not-found' && refusalCode === 'not-found'
}

/** Explains a gateway's 404 to a request for the list; `null` for other errors. */
export function explainNothingListed(error: CommerceError): string | null {
  return isUnknownAtGateway(error) ? nothingListed : null
}

function explainCode(codes: Readonly<Record<string, string>>, code: string | null): string | null {
  return code === null || !Object.hasOwn(codes, code) ? null : `${codes[code]} (${code})`
}

/** Explains a system error code; `null` if it is unknown. */
export function explainSystemCode(code: string): string | null {
  return explainCode(systemCodes, code)
}

/** Explains why no answer came; `null` if the cause is unknown. */
export function explainFailure({ reason, cause }: CommerceError, timeoutMs: number): string | null {
  if (reason === 'timeout') return `no answer came within ${timeoutMs / 1000} s: --timeout allows more`
  let error: unknown = cause
  for (let depth = 0; depth < maxDepth && error instanceof Error; depth += 1) {
    const explained = 'code' in error && typeof error.code === 'string' ? explainSystemCode(error.code) : null
    if (explained !== null) return explained
    error = error.cause
  }
  return null
}

/** Adds what a proxy in the environment may have to do with a failed connection to an address. */
export function withProxyHint(
  reason: string,
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { protocol, hostname } = new URL(address)
  const names = protocol === 'http:' ? ['HTTP_PROXY', 'http_proxy'] : ['HTTPS_PROXY', 'https_proxy']
  const name = names.find((one) => (env[one] ?? '') !== '')
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1'
  // This machine is reached without a proxy.
  const isMissed = !/^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)
  if (name === undefined || !(isUsed || isMissed)) return reason
  const hint = isUsed
    ? `The request may have been sent to the proxy in ${name}`
    : `${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1`
  return `${reason.replace(/\.$/u, '')}. ${hint}`
}
