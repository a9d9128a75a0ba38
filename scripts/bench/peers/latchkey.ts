import { createLicensing } from '@latchkey/electron/main'
import { showMainWindow } from '../../../examples/activation-app/src/main/main-window.ts'
import { service, startNotebook } from './notebook.ts'

// The notebook behind Latchkey, as in the README.

const { url: baseUrl, accessToken, licenseKey } = service
const licensing = createLicensing({ appId: 'com.example.inkwell', service: { baseUrl, accessToken } })

startNotebook({
  async activate() {
    await licensing.start()
    const result = await licensing.activate(licenseKey)
    if (!result.ok) throw new Error(`Not activated: ${result.problem.code}`)
  },
  open() {
    licensing.gate({ whenEntitled: showMainWindow })
  },
})
