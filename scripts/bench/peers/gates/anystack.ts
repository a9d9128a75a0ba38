import Anystack from '@anystack/electron-license'
import { app } from 'electron'
import { showMainWindow } from '../../../../examples/activation-app/src/main/main-window.ts'
import { prepareApp } from '../../../../examples/activation-app/src/main/prepare-app.ts'
import { peerEnvironment, quitWithLastWindow } from './notebook.ts'

// The notebook behind @anystack/electron-license.

const { serviceUrl: url, accessToken, licenseKey, isActivating } = peerEnvironment()
// It is created before `ready` and checks at each launch, like Latchkey.
const anystack = new Anystack({
  api: { url, key: accessToken, productId: 'inkwell' },
  license: { checkIn: { value: 0, unit: 'hours' } },
})

quitWithLastWindow()
void prepareApp().then((mayGoOn) => {
  if (!mayGoOn) return
  if (isActivating) {
    // What its window stores after an activation.
    const lastCheckIn = Math.floor(Date.now() / 1000) - 60
    const { fingerprint } = anystack
    anystack.store.set('license', { key: licenseKey, email: null, fingerprint, lastCheckIn })
    process.stdout.write('activated\n')
    return
  }
  // Only the window's `show` is called, so the notebook's window opens when it calls it, as in the other gates.
  anystack.ifAuthorized({ show: () => void showMainWindow() })
})

// It reads the response of a request that got none.
process.on('unhandledRejection', (error) => process.stderr.write(`${app.getName()}: ${String(error)}\n`))
