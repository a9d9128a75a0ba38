import type { LicensingOptions } from '@latchkey/electron/main'

/** What a license includes: the plan for a single device comes without export. A gateway would decide it there. */
export const includedFeatures: NonNullable<LicensingOptions['features']> = ({ activationLimit }) =>
  activationLimit === 1 ? [] : ['export']
