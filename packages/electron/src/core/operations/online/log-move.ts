import type { LicensingSession } from '../../licensing-session.ts'
import { unnamed } from '../../record/seats/service-of-record.ts'

const logged = new WeakSet<LicensingSession>()

/**
 * Logs once that the license in use belongs to another service. If that is due to a wrong setting, nothing else shows it:
 * the user is asked for a new key that doesn't exist.
 *
 * @param service the service that the license belongs to.
 */
export function logMove(session: LicensingSession, service: string): void {
  if (logged.has(session)) return
  logged.add(session)
  const { logger, commerce } = session.ports
  const record = `The license record is of ${service === unnamed ? 'another service' : service}`
  if (commerce.name === undefined) {
    logger.warn(
      `${record}, and the service in use takes only UUIDs. If it is a gateway in front of that service, set service.licenseKeys to 'any'. This warning is logged once.`,
    )
  } else {
    logger.info(
      `${record}, and the service in use is ${commerce.name}. The user is asked for a new license key.`,
    )
  }
}
