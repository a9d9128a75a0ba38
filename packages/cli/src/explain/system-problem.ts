const untrustedCertificate =
  'this computer doesn’t trust the service’s certificate: if it is from your own authority, set NODE_EXTRA_CA_CERTS'
const closed = 'the connection was closed before an answer came: check for a proxy or firewall in between'
const noConnection = 'no connection could be made in time: check for a firewall in between'
const noRoute = 'no network leads to this address: check the network connection or VPN'
const noTls =
  'the server doesn’t speak TLS on this port: check whether the address begins with http:// or https://'

/** Explanations of the system's error codes. */
const problems: Readonly<Record<string, string>> = {
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
  return code === null || !Object.hasOwn(problems, code) ? null : `${problems[code]} (${code})`
}

/** Says what a proxy in the environment may have to do with a failed connection. Empty if there is none for the address. */
export function proxyHint(address: string, env: Readonly<Record<string, string | undefined>>): string {
  const { protocol, hostname } = new URL(address)
  const names = protocol === 'http:' ? ['HTTP_PROXY', 'http_proxy'] : ['HTTPS_PROXY', 'https_proxy']
  const name = names.find((one) => (env[one] ?? '') !== '')
  const isUsed = env['NODE_USE_ENV_PROXY'] === '1'
  // This machine is reached without a proxy.
  const isMissed = !/^(?:localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)
  if (name === undefined || !(isUsed || isMissed)) return ''
  return isUsed
    ? `. The request may have been sent to the proxy in ${name}`
    : `. ${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1`
}
