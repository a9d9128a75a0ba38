/** Facts about the environment; `null` means "not known". */
export interface DiagnosisFacts {
  readonly latchkeyVersion: string
  readonly app: {
    readonly id: string
    readonly name: string
    readonly version: string
    readonly isPackaged: boolean
  }
  readonly versions: { readonly electron: string; readonly chrome: string; readonly node: string }
  readonly system: { readonly platform: string; readonly version: string; readonly arch: string }
  readonly locale: string
  readonly service: {
    readonly address: string
    readonly hasAccessToken: boolean
    /** How many keys verify leases. Without one, the app requires no lease. */
    readonly leaseKeyCount: number
    readonly hasOfflineActivation: boolean
  }
  /** Kind of proxy used to reach the service, such as `PROXY` or `SOCKS5`; `DIRECT` for none. */
  readonly proxy: string | null
  readonly isOnline: boolean
  /** Chromium's code of why the last request had no answer; `null` if it had one. */
  readonly networkError: string | null
  /** How far this computer's clock is ahead of the service's, in milliseconds, according to the last answer. */
  readonly clockAheadMs: number | null
  readonly keychain: string
  readonly deviceIdSource: string | null
}

/** Returns the report's lines about the environment. */
export function describeEnvironment(facts: DiagnosisFacts): readonly string[] {
  const { app, versions, system, service, proxy, networkError, clockAheadMs } = facts
  return [
    `Latchkey ${facts.latchkeyVersion}, license report`,
    `app: ${app.name} ${app.version} (${app.id}), ${app.isPackaged ? 'packaged' : 'not packaged'}`,
    `runtime: Electron ${versions.electron}, Chrome ${versions.chrome}, Node ${versions.node}`,
    `system: ${system.platform} ${system.version} ${system.arch}, locale ${facts.locale}`,
    `service: ${service.address}, access token in the app: ${service.hasAccessToken ? 'yes' : 'no'}, lease keys: ${service.leaseKeyCount}, activation without internet: ${service.hasOfflineActivation ? 'yes' : 'no'}`,
    `network: ${facts.isOnline ? 'online' : 'offline'}, proxy: ${proxy === null ? 'not known' : proxy === 'DIRECT' ? 'none' : `in use (${proxy})`}${networkError === null ? '' : `, last request: no answer, ${networkError}`}`,
    `clock against the service: ${clockAheadMs === null ? 'not known, no answer yet' : describeSkew(clockAheadMs)}`,
    `keychain: ${facts.keychain}`,
    `device ID: ${facts.deviceIdSource ?? 'not looked for yet'}`,
  ]
}

function describeSkew(clockAheadMs: number): string {
  const seconds = Math.round(clockAheadMs / 1000)
  return seconds < 0 ? `${-seconds} s behind` : `${seconds} s ahead`
}

/** Returns the kind of the first proxy in a result of `resolveProxy`, such as `PROXY proxy.example:8080; DIRECT`. */
export function proxyKind(resolved: string): string {
  return resolved.trim().split(/[\s;]/u)[0]?.toUpperCase() || 'DIRECT'
}
