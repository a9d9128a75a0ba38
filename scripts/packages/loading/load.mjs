import { createRequire } from 'node:module'

// Loads the helper as ES modules and by `require`, on Node with a stand-in for Electron. Prints one sentence per fault.
const require = createRequire(import.meta.url)
const routes = { import: (name) => import(name), require: async (name) => require(name) }
const names = ['main', 'preload', 'renderer']

function tell(fault) {
  console.log(fault)
  process.exitCode = 1
}

for (const [route, load] of Object.entries(routes)) {
  const root = await load('@latchkey/electron').then(() => '', String)
  for (const name of [...names, 'dialog']) {
    const subpath = `@latchkey/electron/${name}`
    if (!root.includes(subpath))
      tell(`The root entry, by ${route}, does not name ${subpath}: ${root || 'it loads'}`)
  }
  for (const name of names) {
    await load(`@latchkey/electron/${name}`).catch((error) =>
      tell(`./${name} does not load by ${route}: ${error}`),
    )
  }
  const { createLicensing } = await load('@latchkey/electron/main')
  try {
    createLicensing({ appId: 'com.example', service: { baseUrl: 'https://licensing.example.com/v1' } })
    tell(`createLicensing(), by ${route}, takes Node for Electron's main process.`)
  } catch (error) {
    if (!/belongs in Electron's main process/.test(String(error)))
      tell(`createLicensing(), by ${route}: ${error}`)
  }
}
