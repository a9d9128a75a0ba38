import { once } from 'node:events'
import { type DeviceHome, openDevice } from './open-device.ts'

/** What the process does once it is started. */
export interface Errand extends DeviceHome {
  readonly errand: 'activate' | 'validate' | 'deactivate'
  readonly licenseKey: string
}

// Its only argument is its task. It prints `ready`, waits for a line, and prints `done`.
const [, , argument = ''] = process.argv
const { errand, licenseKey, ...home }: Errand = JSON.parse(argument)
const core = openDevice(home)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
await core.start()
switch (errand) {
  case 'activate':
    await core.activate(licenseKey)
    break
  case 'validate':
    await core.validate()
    break
  case 'deactivate':
    await core.deactivate()
    break
}
await core.dispose()
process.stdout.write('done\n')
process.exit()
