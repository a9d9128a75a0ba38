/** Where a device's identity comes from: the machine ID, the developer's override, or a persisted random ID. */
export type DeviceIdSource = 'machine-id' | 'override' | 'random'

/** This device's identity. */
export interface DeviceIdentity {
  /** 16 lower-case hex digits: HMAC-SHA-256(app id, machine ID), shortened. */
  readonly fingerprint: string
  /** Readable name, for example the host name. */
  readonly label: string
  readonly source: DeviceIdSource
  /** The random ID if `source` is `random`, otherwise `null`. Keep it and pass it next time. */
  readonly randomId: string | null
}

/** Identifies this device. May start a child process, so keep it off the launch's critical path. */
export interface DevicePort {
  /**
   * Identifies this device. Never rejects, and settles within a few seconds.
   *
   * @param knownRandomId the saved random ID to fall back on; `null` creates a new one.
   */
  identify(knownRandomId: string | null): Promise<DeviceIdentity>
}
