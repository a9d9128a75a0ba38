import type { ServiceData } from '../data/service-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { ServiceClock } from '../timestamps.ts'

/** All state that an answer depends on. */
export interface ServiceState {
  /** `null`: no token is required. */
  accessToken: string | null
  dialect: Dialect
  clock: ServiceClock
  data: ServiceData
}
