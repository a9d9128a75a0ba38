/** Where a device's identity comes from: the machine ID, the developer's override, or a persisted random ID. */
export type DeviceIdSource = 'machine-id' | 'override' | 'random'

/** Who this device is. */
export interface DeviceIdentity {
  /** 16 lower-case hex digits: HMAC-SHA-256(app id, machine ID), shortened. */
  readonly fingerprint: string
  /** Readable name, for example the host name. */
  readonly label: string
  readonly source: DeviceIdSource
  /** The random ID behind it when `source` is `random`; `null` otherwise. Keep it, and pass it next time. */
  readonly randomId: string | null
}

/** Finds out who this device is. May start a child process: call it off the launch's critical path. */
export interface DevicePort {
  /**
   * @param knownRandomId the persisted random ID to fall back on; a new one is made when it is `null`.
   * @returns always an identity; never rejects, and settles within a few seconds.
   */
  identify(knownRandomId: string | null): Promise<DeviceIdentity>
}
