import main = require('@latchkey/electron/main')
import preload = require('@latchkey/electron/preload')
import testing = require('@latchkey/electron/testing')

const licensing: main.Licensing = main.createLicensing({
  appId: 'com.example.consumer',
  service: { baseUrl: 'https://licensing.example.com/v1' },
})
const entitled: boolean = licensing.state.entitled
const fake: main.Licensing = testing.createFakeLicensing()
preload.exposeLicensing()
// @ts-expect-error: what says nothing of itself would be `any`.
export = [entitled, fake, main.nothing]
