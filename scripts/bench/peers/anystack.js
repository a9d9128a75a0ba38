import Anystack from '@anystack/electron-license'
import { app } from 'electron'
import { showMainWindow } from '../../../examples/activation-app/src/main/main-window.ts'
import { service, startNotebook } from './notebook.ts'

// The notebook behind @anystack/electron-license.

const { url, accessToken: key, licenseKey } = service
// It is created before `ready` and checks at each launch, like Latchkey.
const anystack = new Anystack({
  api: { url, key, productId: 'inkwell' },
  license: { checkIn: { value: 0, unit: 'hours' } },
})

startNotebook({
  activate() {
    // What its window stores after an activation.
    const lastCheckIn = Math.floor(Date.now() / 1000) - 60
    const { fingerprint } = anystack
    anystack.store.set('license', { key: licenseKey, email: null, fingerprint, lastCheckIn })
  },
  // Only the window's `show` is called, so the notebook's window opens when it calls it, as in the other gates.
  open: () => anystack.ifAuthorized({ show: () => void showMainWindow() }),
})

// It reads the response of a request that got none.
process.on('unhandledRejection', (error) => process.stderr.write(`${app.getName()}: ${String(error)}\n`))
