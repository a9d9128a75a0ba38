import { createLicensing } from '@latchkey/electron/main'
import { showMainWindow } from '../../../../examples/activation-app/src/main/main-window.ts'
import { prepareApp } from '../../../../examples/activation-app/src/main/prepare-app.ts'
import { peerEnvironment, quitWithLastWindow } from './notebook.ts'

// The notebook behind Latchkey, as in the README.

const { serviceUrl: baseUrl, accessToken, licenseKey, isActivating } = peerEnvironment()
const licensing = createLicensing({ appId: 'com.example.inkwell', service: { baseUrl, accessToken } })

quitWithLastWindow()
void prepareApp().then(async (mayGoOn) => {
  if (!mayGoOn) return
  if (!isActivating) {
    licensing.gate({ whenEntitled: showMainWindow })
    return
  }
  await licensing.start()
  const result = await licensing.activate(licenseKey)
  if (!result.ok) throw new Error(`Not activated: ${result.problem.code}`)
  process.stdout.write('activated\n')
})
